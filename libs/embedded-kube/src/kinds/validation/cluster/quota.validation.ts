import type { Draft } from '../../../resources/kube-object.js';
// Limits of what a namespace, and each thing in it, may use.
import { qualifiedName } from '../../../resources/name.rules.js';
import { canonicalQuantity, compareQuantities } from '../../../resources/quantity.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import {
  isCounted,
  isOvercommitAllowed,
  isQuotaResource,
  validateContainerResource,
  validateQuantity,
  validateResourceName,
} from '../resource.validation.js';

const TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const POD_RESOURCES = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIM_RESOURCES = new Set(['persistentvolumeclaims', 'requests.storage']);
const EXISTING =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Checks the limits and the usage in the status of a quota. */
export function validateQuotaStatus(report: FieldReport, object: Draft): void {
  const { hard, used } = structOf(object['status']) ?? {};
  validateAmounts(report, 'status.hard', hard);
  validateAmounts(report, 'status.used', used);
}

function validateAmounts(report: FieldReport, path: string, amounts: unknown): void {
  for (const [name, quantity] of Object.entries(structOf(amounts) ?? {})) {
    const at = `${path}[${name}]`;
    validateResourceName(report, at, name);
    if (!name.includes('/') && !isQuotaResource(name))
      report.invalid(at, name, 'must be a standard resource for quota');
    validateQuantity(report, at, quantity);
    if (isCounted(name) && !Number.isInteger(compareQuantities(quantity, '0'))) {
      report.invalid(at, quantity, 'must be an integer');
    }
  }
}

export function validateResourceQuota(report: FieldReport, spec: Values, old: Values | undefined): void {
  validateAmounts(report, 'spec.hard', spec['hard']);
  const limits = Object.keys(structOf(spec['hard']) ?? {}).sort();
  const scopes = textsOf(spec['scopes']);
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) report.invalid('spec.scopes', scopes, 'unsupported scope');
    validateScopedLimits(report, 'spec.scopes', scope, limits, scopes);
  }
  rejectConflicts(report, 'spec.scopes', scopes, scopes);
  const selector = structOf(spec['scopeSelector']);
  if (selector) validateScopeSelector(report, selector, limits, scopes);
  if (!old) return;
  const [next, before] = [scopes, textsOf(old['scopes'])].map((list) => [...new Set(list)].sort().join());
  if (next !== before) report.invalid('spec.scopes', spec['scopes'] ?? null, 'field is immutable');
}

function validateScopeSelector(
  report: FieldReport,
  selector: Values,
  limits: readonly string[],
  scopes: readonly string[],
): void {
  const path = 'spec.scopeSelector.matchExpressions';
  const requirements = itemsOf(selector['matchExpressions']);
  for (const { scopeName, operator, values } of requirements) {
    const scope = textOf(scopeName);
    if (!SCOPES.includes(scope)) report.invalid(`${path}.scopeName`, scope, 'unsupported scope');
    validateScopedLimits(report, path, scope, limits, selector);
    const isPlain = SCOPES.includes(scope) && scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass';
    if (isPlain && operator !== 'Exists') report.invalid(`${path}.operator`, operator ?? '', EXISTING);
    if (operator === 'In' || operator === 'NotIn') {
      const rule = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      if (countOf(values) === 0) report.required(`${path}.values`, rule);
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      const rule = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      if (countOf(values) > 0) report.invalid(`${path}.values`, values, rule);
    } else report.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator');
  }
  const named = requirements.map(({ scopeName }) => textOf(scopeName));
  rejectConflicts(report, path, named, scopes.length > 0 ? scopes : null);
}

function validateScopedLimits(
  report: FieldReport,
  path: string,
  scope: string,
  limits: readonly string[],
  shown: unknown,
): void {
  for (const limit of limits) {
    if (isQuotaResource(limit) && !isScopable(scope, limit)) {
      report.invalid(path, shown, 'unsupported scope applied to resource');
    }
  }
}

function isScopable(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return CLAIM_RESOURCES.has(resource);
  return !SCOPES.includes(scope) || POD_RESOURCES.has(resource);
}

function rejectConflicts(report: FieldReport, path: string, scopes: readonly string[], shown: unknown): void {
  for (const [one, other] of CONFLICTING) {
    if (scopes.includes(one) && scopes.includes(other)) report.invalid(path, shown, 'conflicting scopes');
  }
}

/** Checks the limits of single containers, pods, and claims. */
export function validateLimitRange(report: FieldReport, spec: Values): void {
  const types = new Set<string>();
  for (const [index, item] of itemsOf(spec['limits']).entries()) {
    const at = `spec.limits[${index}]`;
    const type = textOf(item['type']);
    validateType(report, `${at}.type`, type);
    if (types.has(type)) report.duplicate(`${at}.type`, type);
    types.add(type);
    validateLimits(report, at, type, item);
  }
}

function validateType(report: FieldReport, path: string, type: string): void {
  const problems = qualifiedName(type);
  for (const problem of problems) report.invalid(path, type, problem);
  if (problems.length > 0 || type.includes('/') || TYPES.has(type)) return;
  report.invalid(path, type, 'must be a standard limit type or fully qualified');
}

function validateLimits(report: FieldReport, path: string, type: string, item: Values): void {
  const namesOf = (field: string): string[] => Object.keys(structOf(item[field]) ?? {});
  const checkNames = (field: string): void => {
    for (const name of namesOf(field)) {
      const at = `${path}.${field}[${name}]`;
      if (type === 'Pod' || type === 'Container') validateContainerResource(report, at, name);
      else validateResourceName(report, at, name);
    }
  };
  for (const field of ['max', 'min']) checkNames(field);
  const defaults = ['default', 'defaultRequest'];
  for (const field of defaults) {
    if (type !== 'Pod') checkNames(field);
    else if (namesOf(field).length > 0) {
      report.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'");
    }
  }
  const limits = [...namesOf('min'), ...namesOf('max')];
  if (type === 'PersistentVolumeClaim' && !limits.includes('storage')) {
    const rule = 'either minimum or maximum storage value is required, but neither was provided';
    report.required(`${path}.limits`, rule);
  }
  checkNames('maxLimitRequestRatio');
  const fields = ['max', 'min', ...(type === 'Pod' ? [] : defaults), 'maxLimitRequestRatio'];
  for (const name of new Set(fields.flatMap(namesOf))) {
    const of = (field: string): unknown => (fields.includes(field) ? structOf(item[field])?.[name] : undefined);
    compareLimits(report, path, name, of);
  }
}

/** The pairs of which the first may not be more than the second: fields, their names, and which of the two is shown where. */
const ORDERED = [
  ['min', 'max', 'min', 'max', 'min', 'min'],
  ['min', 'defaultRequest', 'min', 'default request', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'max', 'default request', 'max', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'default', 'default request', 'default limit', 'defaultRequest', 'defaultRequest'],
  ['min', 'default', 'min', 'default', 'default', 'min'],
  ['default', 'max', 'default', 'max', 'default', 'max'],
] as const;

function compareLimits(report: FieldReport, path: string, name: string, of: (field: string) => unknown): void {
  for (const [low, high, lowName, highName, place, shown] of ORDERED) {
    const [less, more] = [of(low), of(high)];
    if (less === undefined || more === undefined || compareQuantities(less, more) <= 0) continue;
    const detail = `${lowName} value ${canonicalQuantity(less)} is greater than ${highName} value ${canonicalQuantity(more)}`;
    report.invalid(`${path}.${place}[${name}]`, canonicalQuantity(of(shown)), detail);
  }
  const ratio = of('maxLimitRequestRatio');
  const text = canonicalQuantity(ratio);
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  if (ratio !== undefined && compareQuantities(ratio, '1') < 0)
    report.invalid(at, text, `ratio ${text} is less than 1`);
  if (ratio !== undefined && of('min') !== undefined && of('max') !== undefined) {
    const most = compareQuantities(of('max'), '0') / compareQuantities(of('min'), '0');
    if (compareQuantities(ratio, '0') > most) {
      report.invalid(at, text, `ratio ${text} is greater than max/min = ${most.toFixed(6)}`);
    }
  }
  const [limit, request] = [of('default'), of('defaultRequest')];
  if (isOvercommitAllowed(name) || limit === undefined || request === undefined) return;
  if (compareQuantities(limit, request) === 0) return;
  const [shownLimit, shownRequest] = [canonicalQuantity(limit), canonicalQuantity(request)];
  const detail = `default value ${shownLimit} must equal to defaultRequest value ${shownRequest} in ${name}`;
  report.invalid(`${path}.defaultRequest[${name}]`, shownRequest, detail);
}
