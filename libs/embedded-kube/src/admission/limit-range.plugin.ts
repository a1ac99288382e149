import { mapping } from '../common/json.values.js';
import { containersOf, podResources } from '../kinds/pod.resources.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import { formatQuantity, type Quantity } from '../resources/quantity.js';
import { type ResourceList, resourceList } from '../resources/resource.list.js';
import type { ObjectStore } from '../storage/object.store.js';
import { denied, joined } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const ANNOTATION = 'kubernetes.io/limit-ranger';
const NOTHING: ResourceList = new Map();

type Fields = Readonly<Record<string, unknown>>;

/**
 * The plugin that gives the containers of pods the requests and limits of the LimitRanges of the namespace, and rejects what is beyond
 * them.
 */
export class LimitRangePlugin implements AdmissionPlugin {
  readonly name = 'LimitRanger';

  constructor(private readonly store: ObjectStore) {}

  admit(attributes: AdmissionAttributes): void {
    const { object, served, operation, subresource, namespace } = attributes;
    if (served.storageKey !== 'pods' || operation !== 'CREATE' || subresource || !object) return;
    for (const limits of this.limitsOf(namespace)) {
      const requests = defaultsOf(limits, 'defaultRequest');
      const maxima = defaultsOf(limits, 'default');
      const settings: string[] = [];
      const complete = (field: 'containers' | 'initContainers', title: string) =>
        containersOf(object['spec'], field).map((each) => completed(each, requests, maxima, title, settings));
      const containers = complete('containers', 'container');
      const initContainers = complete('initContainers', 'init container');
      if (settings.length === 0) continue;
      object['spec'] = { ...mapping(object['spec']), containers, ...(initContainers.length > 0 && { initContainers }) };
      const summary = `LimitRanger plugin set: ${settings.join('; ')}`;
      object.metadata.annotations = { ...object.metadata.annotations, [ANNOTATION]: summary };
    }
  }

  validate(attributes: AdmissionAttributes): void {
    const { object, served, operation, subresource, namespace } = attributes;
    if (!object || subresource || operation === 'DELETE') return;
    const { storageKey } = served;
    const isPod = storageKey === 'pods' && operation === 'CREATE';
    if (!isPod && storageKey !== 'persistentvolumeclaims') return;
    for (const limits of this.limitsOf(namespace)) {
      const problems = limits.flatMap((limit) => (isPod ? podProblems(limit, object) : claimProblems(limit, object)));
      if (problems.length > 0) throw denied(attributes, joined(problems));
    }
  }

  private limitsOf(namespace: string): Fields[][] {
    return this.store
      .collection('limitranges')
      .list(namespace)
      .map(({ object }) => {
        const { limits } = mapping(object['spec']);
        return Array.isArray(limits) ? limits.map(mapping) : [];
      });
  }
}

function defaultsOf(limits: readonly Fields[], field: 'default' | 'defaultRequest'): Fields {
  const own = limits.filter(({ type }) => type === 'Container').map((limit) => mapping(limit[field]));
  return Object.assign({}, ...own) as Fields;
}

function completed(container: Fields, requests: Fields, limits: Fields, title: string, settings: string[]): Fields {
  const resources = mapping(container['resources']);
  const added = (field: 'requests' | 'limits', defaults: Fields): string[] =>
    Object.keys(defaults)
      .filter((name) => mapping(resources[field])[name] === undefined)
      .toSorted();
  const newRequests = added('requests', requests);
  const newLimits = added('limits', limits);
  const where = `${title} ${String(container['name'])}`;
  if (newRequests.length > 0) settings.push(`${newRequests.join(', ')} request for ${where}`);
  if (newLimits.length > 0) settings.push(`${newLimits.join(', ')} limit for ${where}`);
  if (newRequests.length + newLimits.length === 0) return container;
  const merged = {
    ...resources,
    ...(newLimits.length > 0 && { limits: { ...limits, ...mapping(resources['limits']) } }),
    ...(newRequests.length > 0 && { requests: { ...requests, ...mapping(resources['requests']) } }),
  };
  return { ...container, resources: merged };
}

function podProblems(limit: Fields, { spec }: Readonly<Record<string, unknown>>): string[] {
  if (limit['type'] === 'Pod') {
    return problemsOf(limit, podResources(spec, 'requests', false), podResources(spec, 'limits', false));
  }
  if (limit['type'] !== 'Container') return [];
  const containers = [...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers')];
  return containers.flatMap(({ resources }) => {
    const { requests, limits } = mapping(resources);
    return problemsOf(limit, resourceList(requests), resourceList(limits));
  });
}

function problemsOf(limit: Fields, requests: ResourceList, limits: ResourceList): string[] {
  const type = String(limit['type']);
  return [
    ...each(limit['min'], (name, value) => minimumProblem(type, name, value, requests, limits)),
    ...each(limit['max'], (name, value) => maximumProblem(type, name, value, requests, limits)),
    ...each(limit['maxLimitRequestRatio'], (name, value) => ratioProblem(type, name, value, requests, limits)),
  ];
}

function claimProblems(limit: Fields, { spec }: Readonly<Record<string, unknown>>): string[] {
  if (limit['type'] !== 'PersistentVolumeClaim') return [];
  const type = 'PersistentVolumeClaim';
  const requests = resourceList(mapping(mapping(spec)['resources'])['requests']);
  return [
    ...each(limit['min'], (name, value) => minimumProblem(type, name, value, requests, NOTHING)),
    ...each(limit['max'], (name, value) => {
      const request = requests.get(name);
      const rule = `maximum ${name} usage per ${type} is ${formatQuantity(value)}`;
      if (!request) return `${rule}.  No request is specified`;
      return request.nanos > value.nanos ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
    }),
  ];
}

function each(value: unknown, check: (name: string, quantity: Quantity) => string | undefined): string[] {
  return [...resourceList(value)].flatMap(([name, quantity]) => check(name, quantity) ?? []);
}

function minimumProblem(
  type: string,
  name: string,
  minimum: Quantity,
  requests: ResourceList,
  limits: ResourceList,
): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(minimum)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (!request) return `${rule}.  No request is specified`;
  if (request.nanos < minimum.nanos) return `${rule}, but request is ${formatQuantity(request)}`;
  return limit && limit.nanos < minimum.nanos ? `${rule}, but limit is ${formatQuantity(limit)}` : undefined;
}

function maximumProblem(
  type: string,
  name: string,
  maximum: Quantity,
  requests: ResourceList,
  limits: ResourceList,
): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(maximum)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.nanos > maximum.nanos) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return request && request.nanos > maximum.nanos ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function ratioProblem(
  type: string,
  name: string,
  maximum: Quantity,
  requests: ResourceList,
  limits: ResourceList,
): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(maximum)}`;
  const request = requests.get(name)?.nanos ?? 0n;
  const limit = limits.get(name)?.nanos ?? 0n;
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const isBeyond = limit * 10n ** 9n > maximum.nanos * request;
  return isBeyond ? `${rule}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}` : undefined;
}
