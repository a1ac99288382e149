import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { ipAddress, label, pathSegment } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { CLAIM_TRAITS } from './claim.traits.js';
import { EVENT_TRAITS } from './event.traits.js';
import { NAMESPACE_TRAITS } from './namespace.traits.js';
import { POD_TRAITS } from './pod.traits.js';
import { DAEMON_SET_TRAITS, JOB_TRAITS } from './workload.traits.js';
import {
  validateAttachment,
  validateAutoscaler,
  validateDisruptionBudget,
  validateEndpoints,
  validateLease,
  validateNode,
  validatePriorityClass,
  validateRuntimeClass,
} from './validation/cluster.validation.js';
import { validateConfigMap, validateSecret } from './validation/config.validation.js';
import { validateIngress, validateIngressClass } from './validation/ingress.validation.js';
import { validateCronJob, validateCronJobName } from './validation/job.validation.js';
import { ruledBy, ruledBySpec } from './validation/kind.rules.js';
import { validatePodTemplate } from './validation/pod.validation.js';
import { validateBinding, validateClusterRole, validateRole } from './validation/rbac.validation.js';
import { validateService } from './validation/service.validation.js';
import { validateAttributesClass, validateStorageClass } from './validation/storage-class.validation.js';
import {
  validateDeployment,
  validateReplicaSet,
  validateReplicationController,
  validateStatefulSet,
} from './validation/workload.validation.js';

const GENERATION: BuiltinTraits = { generation: true };
const PATH_NAMED: BuiltinTraits = { nameRule: pathSegment };
/** Replaced only by who names the version that is replaced. */
const CONDITIONAL: BuiltinTraits = { unconditionalUpdate: false };
const POLICY: BuiltinTraits = { ...GENERATION, ...CONDITIONAL };

/** Holds the traits of built-in resources, by `plural.group`. */
export const BUILTIN_TRAITS: Readonly<Record<string, BuiltinTraits>> = {
  pods: POD_TRAITS,
  namespaces: NAMESPACE_TRAITS,
  events: EVENT_TRAITS,
  nodes: { keepsStatus: true, validate: ruledBy(validateNode) },
  endpoints: { validate: ruledBy(validateEndpoints) },
  configmaps: { validate: ruledBy(validateConfigMap) },
  secrets: { defaults: defaultSecret, validate: ruledBy(validateSecret) },
  services: {
    nameRule: label,
    returnsDeleted: true,
    validate: ruledBySpec(validateService),
  },
  serviceaccounts: { returnsDeleted: true },
  podtemplates: {
    generation: true,
    returnsDeleted: true,
    validate: ruledBy((report, object) => validatePodTemplate(report, 'template', mapping(object['template']))),
  },
  resourcequotas: { returnsDeleted: true },
  persistentvolumes: { returnsDeleted: true, initialStatus: { phase: 'Pending' } },
  persistentvolumeclaims: CLAIM_TRAITS,
  replicationcontrollers: { generation: true, validate: ruledBySpec(validateReplicationController) },
  'deployments.apps': { generation: true, validate: ruledBySpec(validateDeployment) },
  'replicasets.apps': { generation: true, validate: ruledBySpec(validateReplicaSet) },
  'statefulsets.apps': { generation: true, validate: ruledBySpec(validateStatefulSet) },
  'daemonsets.apps': DAEMON_SET_TRAITS,
  'jobs.batch': JOB_TRAITS,
  'cronjobs.batch': {
    generation: true,
    validate: (object, previous) => [
      ...ruledBySpec(validateCronJob)(object, previous),
      ...(previous ? [] : ruledBy(validateCronJobName)(object, undefined)),
    ],
  },
  'ingresses.networking.k8s.io': { generation: true, validate: ruledBySpec(validateIngress) },
  'ingressclasses.networking.k8s.io': { generation: true, validate: ruledBySpec(validateIngressClass) },
  'networkpolicies.networking.k8s.io': GENERATION,
  'poddisruptionbudgets.policy': {
    generation: true,
    unconditionalUpdate: false,
    validate: ruledBySpec(validateDisruptionBudget),
  },
  'endpointslices.discovery.k8s.io': GENERATION,
  'validatingadmissionpolicies.admissionregistration.k8s.io': POLICY,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': POLICY,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': POLICY,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': POLICY,
  'resourceslices.resource.k8s.io': GENERATION,
  'deviceclasses.resource.k8s.io': GENERATION,
  'leases.coordination.k8s.io': { unconditionalUpdate: false, validate: ruledBySpec(validateLease) },
  'horizontalpodautoscalers.autoscaling': { validate: ruledBySpec(validateAutoscaler) },
  'runtimeclasses.node.k8s.io': { unconditionalUpdate: false, validate: ruledBy(validateRuntimeClass) },
  'csidrivers.storage.k8s.io': CONDITIONAL,
  'csinodes.storage.k8s.io': CONDITIONAL,
  'csistoragecapacities.storage.k8s.io': CONDITIONAL,
  'volumeattachments.storage.k8s.io': { unconditionalUpdate: false, validate: ruledBy(validateAttachment) },
  'storageclasses.storage.k8s.io': { validate: ruledBy(validateStorageClass) },
  'volumeattributesclasses.storage.k8s.io': { validate: ruledBy(validateAttributesClass) },
  'flowschemas.flowcontrol.apiserver.k8s.io': GENERATION,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': GENERATION,
  'priorityclasses.scheduling.k8s.io': { generation: 'constant', validate: ruledBy(validatePriorityClass) },
  'ipaddresses.networking.k8s.io': { nameRule: ipAddress },
  'roles.rbac.authorization.k8s.io': { ...PATH_NAMED, validate: ruledBy(validateRole) },
  'rolebindings.rbac.authorization.k8s.io': {
    ...PATH_NAMED,
    validate: ruledBy((report, object, previous) => validateBinding(report, object, previous, true)),
  },
  'clusterroles.rbac.authorization.k8s.io': { ...PATH_NAMED, validate: ruledBy(validateClusterRole) },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    ...PATH_NAMED,
    validate: ruledBy((report, object, previous) => validateBinding(report, object, previous, false)),
  },
};

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
