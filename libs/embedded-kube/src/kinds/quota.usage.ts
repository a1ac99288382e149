import { isMapping, mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { Quantity } from '../resources/quantity.js';
import { addResources, type ResourceList, resourceList } from '../resources/resource.list.js';
import { labelSelectorOf } from '../selectors/label.selector.js';
import { attributesClassNames } from './attributes-class.names.js';
import { containersOf, isBestEffort, podResources } from './pod.resources.js';

type Content = Pick<KubeObject, 'metadata'> & Readonly<Record<string, unknown>>;

const ONE: Quantity = { nanos: 10n ** 9n, form: 'decimal' };
const ZERO: Quantity = { nanos: 0n, form: 'decimal' };
const STORAGE_CLASS = '.storageclass.storage.k8s.io/';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const POD_NAMES = new Set(['pods', ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])]);
const SERVICE_NAMES = new Set(['services', 'services.nodeports', 'services.loadbalancers']);
const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];
/** The kinds that could be counted without `count/…`, which is newer. */
const ALIASES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
/** The resources that every container has to request or limit by itself where a quota limits them. */
const REQUIRED = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]));

/** Returns the names under which a quota can limit the objects of a collection, of those that it limits. */
export function quotaNames(collection: string, names: Iterable<string>): string[] {
  return [...names].filter((name) => {
    if (name === `count/${collection}`) return true;
    if (collection === 'pods') return POD_NAMES.has(name) || isPodExtension(name);
    if (collection === 'services') return SERVICE_NAMES.has(name);
    if (collection === 'persistentvolumeclaims')
      return CLAIM_NAMES.some((own) => name === own || name.endsWith(STORAGE_CLASS + own));
    return ALIASES.has(collection) && name === collection;
  });
}

/** Whether a quota is about an object: it limits something of its kind, and the object is in all its scopes. */
export function quotaMatches(quota: KubeObject, collection: string, object: Content, hard: ResourceList): boolean {
  const { scopes, scopeSelector } = mapping(quota['spec']);
  if (quotaNames(collection, hard.keys()).length === 0) return false;
  const { matchExpressions } = mapping(scopeSelector);
  const selectors = [
    ...(Array.isArray(scopes) ? scopes.map((scopeName: unknown) => ({ scopeName, operator: 'Exists' })) : []),
    ...(Array.isArray(matchExpressions) ? matchExpressions.map(mapping) : []),
  ];
  if (collection === 'persistentvolumeclaims') return selectors.every((each) => isClaimInScope(object, each));
  return selectors.every((selector) => collection === 'pods' && isInScope(object, selector));
}

/** Returns the amounts that an object counts for in quotas. @param now in milliseconds since the epoch */
export function quotaUsage(collection: string, object: Content, now: number): ResourceList {
  const usage = new Map<string, Quantity>([[`count/${collection}`, ONE]]);
  if (ALIASES.has(collection)) usage.set(collection, ONE);
  if (collection === 'pods') return isOver(object, now) ? usage : addResources(usage, podUsage(object));
  if (collection === 'services') return addResources(usage, serviceUsage(object));
  return collection === 'persistentvolumeclaims' ? addResources(usage, claimUsage(object)) : usage;
}

/** Whether the pod has ended, or should have: it uses nothing any more. */
function isOver({ status, metadata }: Content, now: number): boolean {
  const { phase } = mapping(status);
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return false;
  return now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/**
 * Finds the fields that a pod has to set because a quota limits them.
 *
 * @param names that the quota limits
 * @returns the message, `undefined` if nothing is missing
 */
export function missingRequirements(pod: Content, names: readonly string[]): string | undefined {
  const { spec } = pod;
  if (isMapping(mapping(spec)['resources']) && Object.keys(mapping(mapping(spec)['resources'])).length > 0)
    return undefined;
  const missing = new Map<string, Set<string>>();
  for (const container of [...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers')]) {
    const { requests, limits } = mapping(container['resources']);
    const given = computeUsage(resourceList(requests), resourceList(limits));
    for (const name of names) {
      if (!REQUIRED.has(name) || given.has(name)) continue;
      missing.set(name, (missing.get(name) ?? new Set<string>()).add(String(container['name'])));
    }
  }
  if (missing.size === 0) return undefined;
  const sorted = [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `must specify ${sorted.map(([name, containers]) => `${name} for: ${[...containers].toSorted().join(',')}`).join('; ')}`;
}

function podUsage({ spec }: Content): ResourceList {
  const usage = computeUsage(podResources(spec, 'requests', true), podResources(spec, 'limits', true));
  return new Map([['pods', ONE], ...usage]);
}

function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage = new Map<string, Quantity>();
  for (const [name, quantity] of requests) {
    if (COMPUTE.includes(name) || name.startsWith('hugepages-')) usage.set(name, quantity);
    if (COMPUTE.includes(name) || name.includes('/') || name.startsWith('hugepages-'))
      usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

function serviceUsage({ spec }: Content): ResourceList {
  const { type, ports, allocateLoadBalancerNodePorts } = mapping(spec);
  const all: readonly unknown[] = Array.isArray(ports) ? ports : [];
  const isBalanced = type === 'LoadBalancer';
  const explicit = all.filter((port) => mapping(port)['nodePort']);
  const counted = isBalanced && allocateLoadBalancerNodePorts === false ? explicit : all;
  const nodePorts = isBalanced || type === 'NodePort' ? counted.length : 0;
  return new Map([
    ['services', ONE],
    ['services.loadbalancers', isBalanced ? ONE : ZERO],
    ['services.nodeports', { nanos: BigInt(nodePorts) * 10n ** 9n, form: 'decimal' as const }],
  ]);
}

function claimUsage({ spec, metadata }: Content): ResourceList {
  const usage = new Map<string, Quantity>([['persistentvolumeclaims', ONE]]);
  const { storageClassName, resources } = mapping(spec);
  const className = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? storageClassName;
  const storage = resourceList(mapping(resources)['requests']).get('storage');
  if (storage) usage.set('requests.storage', storage);
  if (typeof className !== 'string' || !className) return usage;
  usage.set(`${className}${STORAGE_CLASS}persistentvolumeclaims`, ONE);
  if (storage) usage.set(`${className}${STORAGE_CLASS}requests.storage`, storage);
  return usage;
}

/** Whether a name is that of a resource that nodes offer beside the usual ones. */
function isPodExtension(name: string): boolean {
  if (/^(requests\.)?hugepages-/.test(name)) return true;
  return (
    name.startsWith('requests.') &&
    name.includes('/') &&
    !name.includes(STORAGE_CLASS) &&
    !name.includes('kubernetes.io/')
  );
}

function isInScope({ spec }: Content, { scopeName, operator, values }: Readonly<Record<string, unknown>>): boolean {
  const { activeDeadlineSeconds, priorityClassName, affinity } = mapping(spec);
  const isTerminating = activeDeadlineSeconds !== undefined && Number(activeDeadlineSeconds) >= 0;
  switch (scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort(spec);
    case 'NotBestEffort':
      return !isBestEffort(spec);
    case 'PriorityClass':
      return isOfClass(priorityClassName ? [String(priorityClassName)] : [], { scopeName, operator, values });
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(affinity);
    default:
      return false;
  }
}

function isClaimInScope(claim: Content, selector: Readonly<Record<string, unknown>>): boolean {
  return selector['scopeName'] === 'VolumeAttributesClass' && isOfClass(attributesClassNames(claim), selector);
}

/** Whether one of the classes of an object is selected, or that it has none. */
function isOfClass(
  names: readonly string[],
  { scopeName, operator, values }: Readonly<Record<string, unknown>>,
): boolean {
  if (operator === 'Exists') return names.length > 0;
  const key = String(scopeName);
  const expression = { key, operator: String(operator), values: (values ?? []) as string[] };
  const selector = labelSelectorOf({ matchExpressions: [expression] });
  return names.length > 0 ? names.some((name) => selector.matches({ [key]: name })) : selector.matches(undefined);
}

function crossesNamespaces(affinity: unknown): boolean {
  const { podAffinity, podAntiAffinity } = mapping(affinity);
  return [podAffinity, podAntiAffinity].some((each) => {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: hard,
      preferredDuringSchedulingIgnoredDuringExecution: soft,
    } = mapping(each);
    const terms = [
      ...(Array.isArray(hard) ? hard.map(mapping) : []),
      ...(Array.isArray(soft) ? soft.map((term) => mapping(mapping(term)['podAffinityTerm'])) : []),
    ];
    return terms.some(({ namespaces, namespaceSelector }) => {
      return (Array.isArray(namespaces) && namespaces.length > 0) || namespaceSelector !== undefined;
    });
  });
}
