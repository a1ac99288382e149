import { mapping } from '../common/json.values.js';
import { addResources, maxResources, type ResourceList, resourceList } from '../resources/resource.list.js';

const NOTHING: ResourceList = new Map();

/** Returns the containers of a pod's spec under one of its fields. */
export function containersOf(
  spec: unknown,
  field: 'containers' | 'initContainers',
): Readonly<Record<string, unknown>>[] {
  const containers = mapping(spec)[field];
  return Array.isArray(containers) ? containers.map(mapping) : [];
}

/**
 * Sums up what a pod requests, or what limits it has: all containers and sidecars together, or more where an init container needs more.
 *
 * @param overhead adds what the runtime class needs for itself
 */
export function podResources(spec: unknown, field: 'requests' | 'limits', overhead: boolean): ResourceList {
  const of = (container: Readonly<Record<string, unknown>>): ResourceList =>
    resourceList(mapping(container['resources'])[field]);
  let sum = containersOf(spec, 'containers').map(of).reduce(addResources, NOTHING);
  let sidecars = NOTHING;
  let starting = NOTHING;
  for (const container of containersOf(spec, 'initContainers')) {
    const own = of(container);
    const isSidecar = container['restartPolicy'] === 'Always';
    if (isSidecar) sum = addResources(sum, own);
    if (isSidecar) sidecars = addResources(sidecars, own);
    starting = maxResources(starting, isSidecar ? sidecars : addResources(own, sidecars));
  }
  const total = new Map(maxResources(sum, starting));
  for (const [name, quantity] of resourceList(mapping(mapping(spec)['resources'])[field])) total.set(name, quantity);
  if (!overhead) return total;
  const added = resourceList(mapping(spec)['overhead']);
  return field === 'requests' ? addResources(total, added) : addResources(total, limited(added, total));
}

/** Whether nothing in the pod requests or limits CPU or memory. */
export function isBestEffort(spec: unknown): boolean {
  const parts = [mapping(spec), ...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers')];
  return !parts.some(({ resources }) =>
    ['requests', 'limits'].some((field) => {
      const list = resourceList(mapping(resources)[field]);
      return ['cpu', 'memory'].some((name) => (list.get(name)?.nanos ?? 0n) > 0n);
    }),
  );
}

function limited(added: ResourceList, limits: ResourceList): ResourceList {
  return new Map([...added].filter(([name]) => (limits.get(name)?.nanos ?? 0n) > 0n));
}
