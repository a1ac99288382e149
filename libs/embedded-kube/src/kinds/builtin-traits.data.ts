import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { ipAddress, label, pathSegment } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { CLAIM_TRAITS } from './claim.traits.js';
import { EVENT_TRAITS } from './event.traits.js';
import { NAMESPACE_TRAITS } from './namespace.traits.js';
import { POD_TRAITS } from './pod.traits.js';
import { SERVICE_TRAITS } from './service.traits.js';
import { DAEMON_SET_TRAITS, JOB_TRAITS, keepLabels } from './workload.traits.js';
import { validateAutoscaler } from './validation/workloads/autoscaler.validation.js';
import { dropReleasedDevices, validateClaimStatus } from './validation/devices/claim-status.validation.js';
import { validateLease } from './validation/cluster/lease.validation.js';
import { validateNode } from './validation/cluster/node.validation.js';
import { validatePriorityClass, validateRuntimeClass } from './validation/pods/pod-classes.validation.js';
import { validateEndpoints } from './validation/networking/endpoints.validation.js';
import { validateBudgetStatus, validateDisruptionBudget } from './validation/workloads/disruption-budget.validation.js';
import { validateCertificateRequest } from './validation/access/certificate.validation.js';
import { validateConfigMap, validateSecret } from './validation/cluster/config.validation.js';
import {
  validateClaimTemplate,
  validateDeviceClass,
  validateResourceClaim,
} from './validation/devices/device.validation.js';
import { validateResourceSlice } from './validation/devices/resource-slice.validation.js';
import { validateEndpointSlice } from './validation/networking/endpoint-slice.validation.js';
import {
  validateFlowControlStatus,
  validateFlowSchema,
  validatePriorityLevel,
} from './validation/access/flow-control.validation.js';
import { validateIngress, validateIngressClass } from './validation/networking/ingress.validation.js';
import { validateCronJob, validateCronJobName } from './validation/workloads/job.validation.js';
import { validateIngressStatus } from './validation/networking/load-balancer.validation.js';
import { validateNetworkPolicy } from './validation/networking/network-policy.validation.js';
import {
  validateLimitRange,
  validateQuotaStatus,
  validateResourceQuota,
} from './validation/cluster/quota.validation.js';
import { ruledBy, ruledByParts, ruledBySpec } from './validation/kind.rules.js';
import { validatePodTemplate } from './validation/pods/pod.validation.js';
import { validateBinding, validateClusterRole, validateRole } from './validation/access/rbac.validation.js';
import { initialVolumeStatus, validatePersistentVolume } from './validation/storage/persistent-volume.validation.js';
import {
  validateAttachment,
  validateCsiDriver,
  validateCsiNode,
  validateStorageCapacity,
} from './validation/storage/csi.validation.js';
import { validateAttributesClass, validateStorageClass } from './validation/storage/storage-class.validation.js';
import {
  validateAutoscalerStatus,
  validateDeploymentStatus,
  validateReplicaStatus,
  validateStatefulSetStatus,
} from './validation/workloads/workload-status.validation.js';
import {
  validateDeployment,
  validateReplicaSet,
  validateReplicationController,
  validateRevision,
  validateStatefulSet,
} from './validation/workloads/workload.validation.js';

const GENERATION: BuiltinTraits = { generation: true };
const PATH_NAMED: BuiltinTraits = { nameRule: pathSegment };
/** Replaced only by who names the version that is replaced. */
const CONDITIONAL: BuiltinTraits = { unconditionalUpdate: false };

/** The traits of built-in resources, by `plural.group`. */
export const BUILTIN_TRAITS: Readonly<Record<string, BuiltinTraits>> = {
  pods: POD_TRAITS,
  namespaces: NAMESPACE_TRAITS,
  events: EVENT_TRAITS,
  nodes: { keepsStatus: true, validate: ruledBy(validateNode) },
  endpoints: { validate: ruledBy(validateEndpoints) },
  configmaps: { validate: ruledBy(validateConfigMap) },
  secrets: { defaults: defaultSecret, validate: ruledBy(validateSecret) },
  services: SERVICE_TRAITS,
  serviceaccounts: { returnsDeleted: true, prepareForCreate: keepSecretNames, prepareForUpdate: keepSecretNames },
  podtemplates: {
    generation: true,
    returnsDeleted: true,
    validate: ruledBy((report, object) => validatePodTemplate(report, 'template', mapping(object['template']))),
  },
  resourcequotas: {
    returnsDeleted: true,
    validate: ruledByParts(ruledBySpec(validateResourceQuota), validateQuotaStatus),
  },
  limitranges: { validate: ruledBySpec(validateLimitRange) },
  persistentvolumes: {
    returnsDeleted: true,
    initialStatus: initialVolumeStatus,
    validate: ruledBySpec(validatePersistentVolume),
  },
  persistentvolumeclaims: CLAIM_TRAITS,
  replicationcontrollers: {
    generation: true,
    orphansDependents: true,
    validate: ruledByParts(ruledBySpec(validateReplicationController), validateReplicaStatus),
  },
  'deployments.apps': {
    generation: true,
    countsAnnotations: true,
    prepareForStatus: keepLabels,
    validate: ruledByParts(ruledBySpec(validateDeployment), validateDeploymentStatus),
  },
  'replicasets.apps': {
    generation: true,
    validate: ruledByParts(ruledBySpec(validateReplicaSet), validateReplicaStatus),
  },
  'controllerrevisions.apps': { validate: ruledBy(validateRevision) },
  'statefulsets.apps': {
    nameRule: label,
    generation: true,
    validate: ruledByParts(ruledBySpec(validateStatefulSet), validateStatefulSetStatus),
  },
  'daemonsets.apps': DAEMON_SET_TRAITS,
  'jobs.batch': JOB_TRAITS,
  'cronjobs.batch': {
    generation: true,
    validate: (object, previous) => [
      ...ruledBySpec(validateCronJob)(object, previous),
      ...(previous ? [] : ruledBy(validateCronJobName)(object, undefined)),
    ],
  },
  'ingresses.networking.k8s.io': {
    generation: true,
    validate: ruledByParts(ruledBySpec(validateIngress), validateIngressStatus),
  },
  'ingressclasses.networking.k8s.io': { generation: true, validate: ruledBySpec(validateIngressClass) },
  'networkpolicies.networking.k8s.io': {
    generation: true,
    countsEmpty: true,
    validate: ruledBySpec(validateNetworkPolicy),
  },
  'poddisruptionbudgets.policy': {
    generation: true,
    unqualifiedFinalizers: true,
    unconditionalUpdate: false,
    validate: ruledByParts(ruledBySpec(validateDisruptionBudget), validateBudgetStatus),
  },
  'endpointslices.discovery.k8s.io': { generation: true, countsLabels: true, validate: ruledBy(validateEndpointSlice) },
  'resourceslices.resource.k8s.io': { ...GENERATION, returnsDeleted: true, validate: ruledBy(validateResourceSlice) },
  'deviceclasses.resource.k8s.io': { ...GENERATION, returnsDeleted: true, validate: ruledBySpec(validateDeviceClass) },
  'resourceclaims.resource.k8s.io': {
    returnsDeleted: true,
    prepareForStatus: dropReleasedDevices,
    validate: (object, previous, subresource) =>
      subresource === 'status' && previous
        ? ruledBy((report) => validateClaimStatus(report, object, previous))(object, previous)
        : ruledBy(validateResourceClaim)(object, previous),
  },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true, validate: ruledBy(validateClaimTemplate) },
  'devicetaintrules.resource.k8s.io': { returnsDeleted: true },
  'leases.coordination.k8s.io': {
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    validate: ruledBySpec(validateLease),
  },
  'horizontalpodautoscalers.autoscaling': {
    validate: ruledByParts(ruledBySpec(validateAutoscaler), validateAutoscalerStatus),
  },
  'runtimeclasses.node.k8s.io': {
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    validate: ruledBy(validateRuntimeClass),
  },
  'csidrivers.storage.k8s.io': {
    ...CONDITIONAL,
    generation: 'changes',
    returnsDeleted: true,
    validate: ruledBySpec(validateCsiDriver),
  },
  'csinodes.storage.k8s.io': { ...CONDITIONAL, returnsDeleted: true, validate: ruledBySpec(validateCsiNode) },
  'csistoragecapacities.storage.k8s.io': { ...CONDITIONAL, validate: ruledBy(validateStorageCapacity) },
  'volumeattachments.storage.k8s.io': {
    unconditionalUpdate: false,
    returnsDeleted: true,
    validate: ruledBy(validateAttachment),
  },
  'storageclasses.storage.k8s.io': { returnsDeleted: true, validate: ruledBy(validateStorageClass) },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true, validate: ruledBy(validateAttributesClass) },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    generation: true,
    validate: ruledByParts(ruledBy(validateFlowSchema), validateFlowControlStatus),
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    generation: true,
    validate: ruledByParts(ruledBy(validatePriorityLevel), validateFlowControlStatus),
  },
  'priorityclasses.scheduling.k8s.io': { generation: 'constant', validate: ruledBy(validatePriorityClass) },
  'certificatesigningrequests.certificates.k8s.io': {
    nameRule: () => [],
    validate: ruledBy(validateCertificateRequest),
  },
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

/**
 * Removes everything but the names of an account's secrets, as only these are stored; the manager that wrote more owns the secret
 * nevertheless.
 */
function keepSecretNames(draft: Draft): void {
  const { secrets } = draft;
  if (!Array.isArray(secrets)) return;
  draft['secrets'] = secrets.map(mapping).map(({ name }) => (name === undefined ? {} : { name }));
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
