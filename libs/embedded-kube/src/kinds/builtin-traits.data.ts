import { type FieldError, longField } from '../errors/field.error.js';
import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { ipAddress, label1035 } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { CLAIM_TRAITS } from './claim.traits.js';
import { EVENT_TRAITS } from './event.traits.js';
import { NAMESPACE_TRAITS } from './namespace.traits.js';
import { POD_TRAITS } from './pod.traits.js';
import { CLUSTER_ROLE_BINDING_TRAITS, CLUSTER_ROLE_TRAITS, ROLE_BINDING_TRAITS, ROLE_TRAITS } from './rbac.traits.js';

/** Limits the content of a config map or a secret, in bytes. */
const CONTENT_LIMIT = 1024 * 1024;
const GENERATION: BuiltinTraits = { generation: true };

/** Holds the traits of built-in resources, by `plural.group`. */
export const BUILTIN_TRAITS: Readonly<Record<string, BuiltinTraits>> = {
  pods: POD_TRAITS,
  namespaces: NAMESPACE_TRAITS,
  events: EVENT_TRAITS,
  nodes: { keepsStatus: true },
  configmaps: { validate: (object) => validateSize(object, '[]') },
  secrets: { defaults: defaultSecret, validate: (object) => validateSize(object, 'data') },
  services: {
    nameRule: label1035,
    returnsDeleted: true,
  },
  serviceaccounts: { returnsDeleted: true },
  podtemplates: { generation: true, returnsDeleted: true },
  resourcequotas: { returnsDeleted: true },
  persistentvolumes: { returnsDeleted: true, initialStatus: { phase: 'Pending' } },
  persistentvolumeclaims: CLAIM_TRAITS,
  replicationcontrollers: GENERATION,
  'deployments.apps': { generation: true },
  'replicasets.apps': { generation: true },
  'statefulsets.apps': { generation: true },
  'daemonsets.apps': { generation: true },
  'jobs.batch': { generation: true },
  'cronjobs.batch': GENERATION,
  'ingresses.networking.k8s.io': GENERATION,
  'ingressclasses.networking.k8s.io': GENERATION,
  'networkpolicies.networking.k8s.io': GENERATION,
  'poddisruptionbudgets.policy': GENERATION,
  'endpointslices.discovery.k8s.io': GENERATION,
  'validatingadmissionpolicies.admissionregistration.k8s.io': GENERATION,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': GENERATION,
  'flowschemas.flowcontrol.apiserver.k8s.io': GENERATION,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': GENERATION,
  'priorityclasses.scheduling.k8s.io': GENERATION,
  'ipaddresses.networking.k8s.io': { nameRule: ipAddress },
  'roles.rbac.authorization.k8s.io': ROLE_TRAITS,
  'rolebindings.rbac.authorization.k8s.io': ROLE_BINDING_TRAITS,
  'clusterroles.rbac.authorization.k8s.io': CLUSTER_ROLE_TRAITS,
  'clusterrolebindings.rbac.authorization.k8s.io': CLUSTER_ROLE_BINDING_TRAITS,
};

function validateSize({ data, binaryData }: Draft, field: string): FieldError[] {
  const values = [...Object.values(mapping(data)), ...Object.values(mapping(binaryData))];
  const size = values.reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);
  return size > CONTENT_LIMIT ? [longField(field, CONTENT_LIMIT)] : [];
}

function defaultSecret(draft: Draft): void {
  const { stringData } = draft;
  if (stringData) {
    const encoded = Object.entries(mapping(stringData)).map(([key, text]): [string, string] => [
      key,
      Buffer.from(String(text)).toString('base64'),
    ]);
    draft['data'] = { ...mapping(draft['data']), ...Object.fromEntries(encoded) };
    delete draft['stringData'];
  }
}
