import { mapping } from '../common/json.values.js';
import { compareQuantities } from '../resources/quantity.js';

const COUNTED = ['cpu', 'memory'] as const;

/** The requests and limits of a container, or of a whole pod. */
interface Resources {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, unknown>>;
}

/**
 * Returns the class of a pod's quality of service: `Guaranteed` where cpu and memory are limited to what is requested in all containers,
 * `BestEffort` where nothing is requested or limited.
 */
export function qosClass(spec: Readonly<Record<string, unknown>>): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...items(spec['containers']), ...items(spec['initContainers'])];
  const all = spec['resources'] === undefined || spec['resources'] === null ? containers : [spec];
  const resources = all.map((each) => resourcesOf(mapping(each)['resources']));
  if (!resources.some(({ requests, limits }) => COUNTED.some((name) => isSet(requests[name]) || isSet(limits[name])))) {
    return 'BestEffort';
  }
  return resources.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function isGuaranteed({ requests, limits }: Resources): boolean {
  return COUNTED.every((name) => {
    const [request, limit] = [requests[name], limits[name]];
    // What is not requested is requested as it is limited.
    return isSet(limit) && (!isSet(request) || compareQuantities(request, limit) === 0);
  });
}

function isSet(quantity: unknown): boolean {
  return quantity !== undefined && quantity !== null && compareQuantities(quantity, '0') > 0;
}

function resourcesOf(value: unknown): Resources {
  const { requests, limits } = mapping(value);
  return { requests: mapping(requests), limits: mapping(limits) };
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
