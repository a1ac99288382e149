import { isMapping, mapping } from '../common/json.values.js';

type Values = Record<string, unknown>;

/** A function that sets those defaults of a structure that depend on its other fields. */
export type DefaultRule = (value: Values) => void;

const INDEXED_BACKOFF_LIMIT = 2 ** 31 - 1;
const RBAC = 'rbac.authorization.k8s.io';
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

/** The defaults that depend on other fields, by the names of built-in types; the constant ones are in the generated table. */
export const DEFAULT_RULES: Readonly<Record<string, DefaultRule>> = {
  'apps.v1.DeploymentStrategy': rollingUpdate,
  'apps.v1.DaemonSetUpdateStrategy': rollingUpdate,
  'apps.v1.StatefulSetUpdateStrategy': rollingUpdate,
  'autoscaling.v1.HorizontalPodAutoscalerSpec': (spec) => void (spec['minReplicas'] ??= 1),
  'autoscaling.v2.HorizontalPodAutoscalerSpec': (spec) => {
    if (!isMapping(spec['behavior'])) return;
    const { scaleUp, scaleDown } = spec['behavior'];
    spec['behavior'] = {
      ...spec['behavior'],
      scaleUp: { ...structuredClone(SCALE_UP), ...mapping(scaleUp) },
      scaleDown: { ...structuredClone(SCALE_DOWN), ...mapping(scaleDown) },
    };
  },
  'batch.v1.Job': (job) => {
    const spec = fieldsOf(job, 'spec');
    if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
    spec['parallelism'] ??= 1;
    spec['backoffLimit'] ??= spec['backoffLimitPerIndex'] === undefined ? 6 : INDEXED_BACKOFF_LIMIT;
    spec['completionMode'] ??= 'NonIndexed';
    spec['suspend'] ??= false;
    spec['podReplacementPolicy'] ??= spec['podFailurePolicy'] ? 'Failed' : 'TerminatingOrFailed';
    spec['manualSelector'] ??= false;
  },
  'core.v1.Container': (container) => defaultPullPolicy(container),
  'core.v1.EphemeralContainer': (container) => {
    container['terminationMessagePath'] ??= '/dev/termination-log';
    container['terminationMessagePolicy'] ??= 'File';
    defaultPullPolicy(container);
  },
  'core.v1.LimitRangeItem': (item) => {
    if (item['type'] !== 'Container') return;
    const limit = { ...mapping(item['max']), ...mapping(item['default']) };
    const request = { ...mapping(item['min']), ...limit, ...mapping(item['defaultRequest']) };
    if (Object.keys(limit).length > 0) item['default'] = limit;
    if (Object.keys(request).length > 0) item['defaultRequest'] = request;
  },
  'core.v1.ObjectFieldSelector': (selector) => void (selector['apiVersion'] ||= 'v1'),
  'core.v1.Pod': (pod) => {
    const spec = fieldsOf(pod, 'spec');
    spec['enableServiceLinks'] ??= true;
    if (Number(spec['terminationGracePeriodSeconds']) < 0) spec['terminationGracePeriodSeconds'] = 1;
    for (const list of ['containers', 'initContainers']) {
      for (const container of itemsOf(spec[list])) {
        requestLimits(container);
        if (spec['hostNetwork'] !== true) continue;
        for (const port of itemsOf(container['ports'])) port['hostPort'] ||= port['containerPort'];
      }
    }
  },
  'core.v1.PersistentVolume': (volume) => {
    beginIn(volume, 'Pending');
    // The spec of a volume has no defaults inside of an attachment.
    const spec = fieldsOf(volume, 'spec');
    spec['persistentVolumeReclaimPolicy'] ??= 'Retain';
    spec['volumeMode'] ??= 'Filesystem';
  },
  'core.v1.PersistentVolumeClaim': (claim) => beginIn(claim, 'Pending'),
  'core.v1.PodSpec': (spec) => {
    // The older name of the field follows the newer one.
    const account = spec['serviceAccountName'] || spec['serviceAccount'];
    if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  },
  'core.v1.NodeSpec': (spec) => {
    const { podCIDR, podCIDRs } = spec;
    const [first] = Array.isArray(podCIDRs) ? (podCIDRs as unknown[]) : [];
    if (podCIDR && podCIDR !== first) spec['podCIDRs'] = [podCIDR];
    else if (first !== undefined) spec['podCIDR'] = first;
  },
  'core.v1.ReplicationController': (controller) => {
    const spec = fieldsOf(controller, 'spec');
    const { labels } = mapping(mapping(spec['template'])['metadata']);
    if (!isMapping(labels)) return;
    if (Object.keys(mapping(spec['selector'])).length === 0) spec['selector'] = { ...labels };
    const metadata = fieldsOf(controller, 'metadata');
    if (Object.keys(mapping(metadata['labels'])).length === 0) metadata['labels'] = { ...labels };
  },
  'core.v1.NodeStatus': (status) => {
    // Pods can use all that a node has, unless its status says otherwise.
    const { capacity, allocatable } = status;
    if (capacity === undefined || Object.keys(mapping(allocatable)).length > 0) return;
    status['allocatable'] = { ...mapping(capacity) };
  },
  'core.v1.Service': (service) => {
    if (mapping(service['spec'])['type'] !== 'LoadBalancer') return;
    for (const each of itemsOf(mapping(mapping(service['status'])['loadBalancer'])['ingress'])) {
      if (each['ip']) each['ipMode'] ??= 'VIP';
    }
  },
  'core.v1.ServicePort': (port) => void (port['targetPort'] ||= port['port']),
  'core.v1.ServiceSpec': defaultService,
  'core.v1.Volume': (volume) => {
    if (Object.keys(volume).every((field) => field === 'name')) volume['emptyDir'] = {};
    const image = volume['image'];
    if (isMapping(image)) defaultPullPolicy(image as Values, 'reference', 'pullPolicy');
  },
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': (exempt) => {
    exempt['nominalConcurrencyShares'] ??= 0;
    exempt['lendablePercent'] ??= 0;
  },
  'flowcontrol.v1.FlowSchema': (schema) => {
    fieldsOf(schema, 'spec')['matchingPrecedence'] ||= 1000;
  },
  'networking.v1.NetworkPolicySpec': (spec) => {
    if (itemCount(spec['policyTypes']) > 0) return;
    spec['policyTypes'] = itemCount(spec['egress']) > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  'rbac.v1.RoleRef': (role) => void (role['apiGroup'] ||= RBAC),
  'rbac.v1.Subject': (subject) => {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') subject['apiGroup'] ||= RBAC;
  },
};

function rollingUpdate(strategy: Values): void {
  if (strategy['type'] === 'RollingUpdate') strategy['rollingUpdate'] ??= {};
}

/** Sets the pull policy: images without a tag, or with the tag `latest`, change behind their names. */
function defaultPullPolicy(owner: Values, imageField = 'image', policyField = 'imagePullPolicy'): void {
  if (owner[policyField]) return;
  const image = String(owner[imageField] ?? '');
  const isReadable = /^[a-z0-9][\w.\-/:@]*$/.test(image);
  const isLatest = isReadable && !image.includes('@') && !/:(?!latest$)[^/:]+$/.test(image);
  owner[policyField] = isLatest ? 'Always' : 'IfNotPresent';
}

function requestLimits(container: Values): void {
  const resources = mapping(container['resources']);
  if (!isMapping(resources['limits'])) return;
  const requests = { ...resources['limits'], ...mapping(resources['requests']) };
  container['resources'] = { ...resources, ...(Object.keys(requests).length > 0 && { requests }) };
}

function defaultService(spec: Values): void {
  const { type } = spec;
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const { timeoutSeconds } = mapping(mapping(spec['sessionAffinityConfig'])['clientIP']);
    if (timeoutSeconds === undefined) spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10_800 } };
  }
  const isExternal = type === 'NodePort' || type === 'LoadBalancer';
  const isReachable = isExternal || (type === 'ClusterIP' && itemCount(spec['externalIPs']) > 0);
  if (isReachable) spec['externalTrafficPolicy'] ||= 'Cluster';
  if (isExternal || type === 'ClusterIP') spec['internalTrafficPolicy'] ??= 'Cluster';
  if (type === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
}

/** Sets the first phase in a status that has none. */
function beginIn(owner: Values, phase: string): void {
  const { status } = owner;
  if (isMapping(status) && !status['phase']) owner['status'] = { ...status, phase };
}

function fieldsOf(owner: Values, field: string): Values {
  return (owner[field] ??= {}) as Values;
}

function itemsOf(list: unknown): Values[] {
  return Array.isArray(list) ? list.filter(isMapping) : [];
}

function itemCount(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
