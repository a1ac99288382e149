import { qualifiedName } from '../../resources/name.rules.js';
import { compareQuantities } from '../../resources/quantity.js';
import { label } from '../../resources/name.rules.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from './field.report.js';

const FOR_CONTAINERS = new Set(['cpu', 'ephemeral-storage', 'memory']);
const COUNTED = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const STANDARD = new Set([
  ...COUNTED,
  ...FOR_CONTAINERS,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'storage',
  'requests.storage',
]);

/** Checks the name of a resource that is counted or measured. */
export function validateResourceName(report: FieldReport, path: string, name: string): boolean {
  const problems = qualifiedName(name);
  for (const problem of problems) report.invalid(path, name, problem);
  if (problems.length > 0) return false;
  if (name.includes('/') || STANDARD.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-'))
    return true;
  report.invalid(path, name, 'must be a standard resource type or fully qualified');
  return false;
}

/** Checks the limits and requests of a container. */
export function validateResources(
  report: FieldReport,
  path: string,
  resources: Values,
  claimNames: ReadonlySet<string> = new Set(),
  nameRule: typeof validateContainerResource = validateContainerResource,
): void {
  const limits = structOf(resources['limits']) ?? {};
  const requests = structOf(resources['requests']) ?? {};
  for (const [name, quantity] of Object.entries(limits))
    validateAmount(report, `${path}.limits[${name}]`, name, quantity, nameRule);
  for (const [name, quantity] of Object.entries(requests)) {
    validateAmount(report, `${path}.requests[${name}]`, name, quantity, nameRule);
    const limit = limits[name];
    const overcommits = isOvercommitAllowed(name);
    if (limit === undefined) {
      if (!overcommits) report.required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
    } else if (!overcommits && compareQuantities(quantity, limit) !== 0) {
      report.invalid(`${path}.requests`, quantity, `must be equal to ${name} limit of ${textOf(limit)}`);
    } else if (compareQuantities(quantity, limit) > 0) {
      report.invalid(`${path}.requests`, quantity, `must be less than or equal to ${name} limit of ${textOf(limit)}`);
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    report.forbidden(path, 'HugePages require cpu or memory');
  }
  validateClaims(report, `${path}.claims`, itemsOf(resources['claims']), claimNames);
}

/** Checks the name of a resource that a container can ask for. */
export function validateContainerResource(report: FieldReport, path: string, name: string): void {
  validateResourceName(report, path, name);
  if (!name.includes('/')) {
    if (!FOR_CONTAINERS.has(name) && !isHugePages(name)) {
      report.invalid(path, name, 'must be a standard resource for containers');
    }
  } else if (!isNative(name) && !isExtended(name)) {
    report.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

function validateAmount(
  report: FieldReport,
  path: string,
  name: string,
  quantity: unknown,
  nameRule: typeof validateContainerResource,
): void {
  nameRule(report, path, name);
  validateQuantity(report, path, quantity);
  if (isCounted(name) && !Number.isInteger(compareQuantities(quantity, '0'))) {
    report.invalid(path, quantity, 'must be an integer');
  }
}

/** Checks a quantity, which cannot be negative. */
export function validateQuantity(report: FieldReport, path: string, quantity: unknown): void {
  if (compareQuantities(quantity, '0') < 0) report.invalid(path, quantity, 'must be greater than or equal to 0');
}

function validateClaims(
  report: FieldReport,
  path: string,
  claims: readonly Values[],
  claimNames: ReadonlySet<string>,
): void {
  const names = new Set<string>();
  for (const [index, { name: value, request }] of claims.entries()) {
    const name = textOf(value);
    if (!name) {
      report.required(`${path}[${index}]`);
      continue;
    }
    if (names.has(name)) report.duplicate(`${path}[${index}]`, name);
    else {
      if (request) report.named(`${path}[${index}].request`, request, label);
      names.add(request ? `${name}/${textOf(request)}` : name);
    }
    if (claimNames.has(name)) continue;
    const listed = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
    report.notFound(`${path}[${index}]`, name, `must be one of the names in pod.spec.resourceClaims${listed}`);
  }
}

/** Whether the use of a resource in a namespace can be limited. */
export function isQuotaResource(name: string): boolean {
  return (name !== 'storage' && STANDARD.has(name)) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

/** Whether a resource can only be used in whole numbers. */
export function isCounted(name: string): boolean {
  return COUNTED.has(name) || isExtended(name);
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Whether a resource has no domain, or one of Kubernetes. */
function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether a resource is defined outside of Kubernetes. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;
}

/** Whether more of a resource can be promised than there is. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}
