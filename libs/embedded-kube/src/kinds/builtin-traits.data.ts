import { type FieldError, longField } from '../errors/field.error.js';
import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { label1035, pathSegment } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { CLAIM_TRAITS } from './claim.traits.js';
import { EVENT_TRAITS } from './event.traits.js';
import { NAMESPACE_TRAITS } from './namespace.traits.js';
import { defaultTemplate, POD_TRAITS } from './pod.traits.js';

/** Limits the content of a config map or a secret, in bytes. */
const CONTENT_LIMIT = 1024 * 1024;
const GENERATION: BuiltinTraits = { generation: true };
const PATH_NAMED: BuiltinTraits = { nameRule: pathSegment };

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
    defaults: defaultService,
  },
  serviceaccounts: { returnsDeleted: true },
  podtemplates: { generation: true, returnsDeleted: true },
  resourcequotas: { returnsDeleted: true },
  persistentvolumes: { returnsDeleted: true, initialStatus: { phase: 'Pending' }, defaults: defaultVolume },
  persistentvolumeclaims: CLAIM_TRAITS,
  replicationcontrollers: GENERATION,
  'deployments.apps': { generation: true, defaults: defaultDeployment },
  'replicasets.apps': { generation: true, defaults: defaultReplicas },
  'statefulsets.apps': { generation: true, defaults: defaultReplicas },
  'daemonsets.apps': { generation: true, defaults: defaultTemplate },
  'jobs.batch': { generation: true, defaults: defaultJob },
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
  'roles.rbac.authorization.k8s.io': PATH_NAMED,
  'rolebindings.rbac.authorization.k8s.io': PATH_NAMED,
  'clusterroles.rbac.authorization.k8s.io': PATH_NAMED,
  'clusterrolebindings.rbac.authorization.k8s.io': PATH_NAMED,
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
  draft['type'] ??= 'Opaque';
}

function defaultService(draft: Draft): void {
  const spec = mapping(draft['spec']);
  const ports = Array.isArray(spec['ports']) ? spec['ports'] : [];
  draft['spec'] = {
    ...spec,
    ...(ports.length > 0 && {
      ports: ports.map((each: unknown) => {
        const port = mapping(each);
        return { protocol: 'TCP', ...port, targetPort: port['targetPort'] ?? port['port'] };
      }),
    }),
    type: spec['type'] ?? 'ClusterIP',
    sessionAffinity: spec['sessionAffinity'] ?? 'None',
    internalTrafficPolicy: spec['internalTrafficPolicy'] ?? 'Cluster',
  };
}

function defaultVolume(draft: Draft): void {
  const spec = mapping(draft['spec']);
  draft['spec'] = { persistentVolumeReclaimPolicy: 'Retain', ...spec, volumeMode: spec['volumeMode'] ?? 'Filesystem' };
}

function defaultReplicas(draft: Draft): void {
  defaultTemplate(draft);
  const spec = mapping(draft['spec']);
  draft['spec'] = { ...spec, replicas: spec['replicas'] ?? 1 };
}

function defaultDeployment(draft: Draft): void {
  defaultReplicas(draft);
  const spec = mapping(draft['spec']);
  draft['spec'] = {
    ...spec,
    strategy: spec['strategy'] ?? { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: spec['revisionHistoryLimit'] ?? 10,
    progressDeadlineSeconds: spec['progressDeadlineSeconds'] ?? 600,
  };
}

function defaultJob(draft: Draft): void {
  defaultTemplate(draft);
  const spec = mapping(draft['spec']);
  draft['spec'] = {
    ...spec,
    parallelism: spec['parallelism'] ?? 1,
    completions: spec['completions'] ?? 1,
    backoffLimit: spec['backoffLimit'] ?? 6,
    completionMode: spec['completionMode'] ?? 'NonIndexed',
    suspend: spec['suspend'] ?? false,
  };
}
