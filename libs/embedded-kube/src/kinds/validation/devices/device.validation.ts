// Claims of devices, and the classes of devices. Expressions that select devices are compiled when they are given.
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, labelValue, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { validateSelectorExpression } from './device-selector.validation.js';
import {
  countOf,
  type FieldReport,
  isSameContent,
  itemsOf,
  structOf,
  textOf,
  textsOf,
  type Values,
} from '../field.report.js';
import { isExtended } from '../resource.validation.js';
import { validateLabels } from '../selector.validation.js';
import { cIdentifier } from '../text.rules.js';
import { validateDriverName } from '../storage/volume-source.rules.js';

/** The most requests, constraints, and configurations of a claim. */
export const MOST_ITEMS = 32;
const NAMED = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

export function validateDeviceClass(report: FieldReport, spec: Values): void {
  validateSelectors(report, 'spec.selectors', spec['selectors']);
  const configurations = itemsOf(spec['config']);
  if (configurations.length > MOST_ITEMS) report.tooMany('spec.config', configurations.length, MOST_ITEMS);
  for (const [index, each] of configurations.entries()) validateConfiguration(report, `spec.config[${index}]`, each);
  const name = spec['extendedResourceName'];
  if (name === undefined || isExtended(textOf(name))) return;
  report.invalid('spec.extendedResourceName', name, 'must be a valid extended resource name');
}

/** Checks a claim of devices, the spec of which never changes. */
export function validateResourceClaim(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  if (previous) {
    if (!isSameClaim(spec, structOf(previous['spec']))) report.invalid('spec', spec, 'field is immutable');
    return;
  }
  validateClaim(report, 'spec.devices', structOf(spec['devices']) ?? {});
}

export function validateClaimTemplate(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const metadata = structOf(spec['metadata']) ?? {};
  for (const key of Object.keys(structOf(metadata['annotations']) ?? {})) {
    report.named('spec.metadata.annotations', key.toLowerCase(), qualifiedName);
  }
  validateLabels(report, 'spec.metadata.labels', metadata['labels']);
  for (const [field, value] of Object.entries(metadata)) {
    const isUnset = !Array.isArray(value) && isSameContent(value, undefined);
    if (field === 'labels' || field === 'annotations' || isUnset) continue;
    report.forbidden(`spec.metadata.${field === 'uid' ? 'uID' : field}`, 'cannot be set');
  }
  validateClaim(report, 'spec.spec.devices', structOf(structOf(spec['spec'])?.['devices']) ?? {});
  if (!previous) return;
  const [next, old] = [spec, structOf(previous['spec']) ?? {}];
  const isSame = isSameContent(next, old) && isSameClaim(structOf(next['spec']), structOf(old['spec']));
  if (!isSame) report.invalid('spec', spec, 'field is immutable');
}

/** Compares the specs of claims. An empty capacity is not the same as none. */
function isSameClaim(next: Values | undefined, old: Values | undefined): boolean {
  const capacities = (claim: Values | undefined): boolean[] =>
    itemsOf(structOf(claim?.['devices'])?.['requests'])
      .flatMap((request) => [structOf(request['exactly']), ...itemsOf(request['firstAvailable'])])
      .map((demand) => demand?.['capacity'] !== undefined);
  return isSameContent(next, old) && capacities(next).join() === capacities(old).join();
}

/** Returns the names by which other parts of a claim refer to its requests, and to their alternatives. */
export function requestNames(devices: Values): ReadonlySet<string> {
  const known = new Set<string>();
  for (const request of itemsOf(devices['requests'])) {
    known.add(textOf(request['name']));
    for (const { name } of itemsOf(request['firstAvailable'])) {
      known.add(`${textOf(request['name'])}/${textOf(name)}`);
    }
  }
  return known;
}

function validateClaim(report: FieldReport, path: string, devices: Values): void {
  const requests = itemsOf(devices['requests']);
  const known = requestNames(devices);
  validateSet(report, `${path}.requests`, requests, MOST_ITEMS, (at, request) => validateRequest(report, at, request));
  const constraints = itemsOf(devices['constraints']);
  if (constraints.length > MOST_ITEMS) report.tooMany(`${path}.constraints`, constraints.length, MOST_ITEMS);
  for (const [index, constraint] of constraints.entries()) {
    validateConstraint(report, `${path}.constraints[${index}]`, constraint, known);
  }
  const configurations = itemsOf(devices['config']);
  if (configurations.length > MOST_ITEMS) report.tooMany(`${path}.config`, configurations.length, MOST_ITEMS);
  for (const [index, each] of configurations.entries()) {
    validateReferences(report, `${path}.config[${index}].requests`, textsOf(each['requests']), known);
    validateConfiguration(report, `${path}.config[${index}]`, each);
  }
}

/** Checks items that have different names. */
function validateSet(
  report: FieldReport,
  path: string,
  items: readonly Values[],
  most: number,
  rule: (at: string, item: Values) => void,
): void {
  if (items.length > most) report.tooMany(path, items.length, most);
  const names = new Set<string>();
  for (const [index, item] of items.entries()) {
    rule(`${path}[${index}]`, item);
    const name = textOf(item['name']);
    if (names.has(name)) report.duplicate(`${path}[${index}]`, name);
    names.add(name);
  }
}

function validateRequest(report: FieldReport, path: string, request: Values): void {
  report.named(`${path}.name`, request['name'], label);
  const exactly = structOf(request['exactly']);
  const alternatives = itemsOf(request['firstAvailable']);
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  if (!exactly && alternatives.length === 0) report.required(path, rule);
  else if (exactly && alternatives.length > 0) report.invalid(path, null, `${rule}, but multiple fields are set`);
  else if (exactly) validateDemand(report, `${path}.exactly`, exactly);
  else {
    validateSet(report, `${path}.firstAvailable`, alternatives, 8, (at, each) => {
      report.named(`${at}.name`, each['name'], label);
      validateDemand(report, at, each);
    });
  }
}

function validateDemand(report: FieldReport, path: string, demand: Values): void {
  report.namedRequired(`${path}.deviceClassName`, demand['deviceClassName'], subdomain);
  validateSelectors(report, `${path}.selectors`, demand['selectors']);
  const { allocationMode, count = 0 } = demand;
  if (allocationMode === 'All') {
    const rule = "must not be specified when allocationMode is 'All'";
    if (count !== 0) report.invalid(`${path}.count`, count, rule);
  } else if (allocationMode === 'ExactCount') report.positive(`${path}.count`, count);
  else report.oneOf(`${path}.allocationMode`, allocationMode, ['All', 'ExactCount']);
  for (const [index, toleration] of itemsOf(demand['tolerations']).entries()) {
    validateToleration(report, `${path}.tolerations[${index}]`, toleration);
  }
}

function validateToleration(report: FieldReport, path: string, { key, operator, value, effect }: Values): void {
  if (key) report.named(`${path}.key`, key, qualifiedName);
  if (operator === 'Exists') {
    if (value) report.invalid(`${path}.value`, value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') {
    report.named(`${path}.value`, value, labelValue);
  } else report.oneOfRequired(`${path}.operator`, operator, ['Equal', 'Exists']);
  if (effect) report.oneOf(`${path}.effect`, effect, EFFECTS);
}

function validateSelectors(report: FieldReport, path: string, value: unknown): void {
  const selectors = itemsOf(value);
  if (selectors.length > MOST_ITEMS) report.tooMany(path, selectors.length, MOST_ITEMS);
  for (const [index, selector] of selectors.entries()) {
    const cel = structOf(selector['cel']);
    if (!cel) report.required(`${path}[${index}].cel`);
    else validateSelectorExpression(report, `${path}[${index}].cel.expression`, textOf(cel['expression']));
  }
}

function validateConstraint(report: FieldReport, path: string, constraint: Values, known: ReadonlySet<string>): void {
  validateReferences(report, `${path}.requests`, textsOf(constraint['requests']), known);
  const { matchAttribute, distinctAttribute } = constraint;
  if (matchAttribute !== undefined) validateAttribute(report, `${path}.matchAttribute`, textOf(matchAttribute));
  else if (distinctAttribute !== undefined) {
    validateAttribute(report, `${path}.distinctAttribute`, textOf(distinctAttribute));
  } else {
    const rule = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    report.required(path, rule);
  }
}

/** Checks the name of an attribute with the domain of its owner. */
function validateAttribute(report: FieldReport, path: string, name: string): void {
  validateAttributeName(report, path, name);
  if (name.includes('/')) return;
  report.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash');
}

/** Checks the name of an attribute or a capacity: with a domain, or without. */
export function validateAttributeName(report: FieldReport, path: string, name: string): void {
  const parts = name.split('/');
  if (parts.length > 2) return;
  const [own = '', domain] = parts.reverse();
  if (domain === '') report.invalid(path, '', 'the domain must not be empty');
  else if (domain !== undefined) validateDriverName(report, path, domain);
  if (own === '' && domain !== undefined) report.invalid(path, '', 'the name must not be empty');
  else {
    if (own.length > 32) report.tooLong(path, 32);
    report.named(path, own, cIdentifier);
  }
}

/** Checks names of requests, each of which stands once. */
export function validateReferences(
  report: FieldReport,
  path: string,
  names: readonly string[],
  known: ReadonlySet<string>,
): void {
  if (names.length > MOST_ITEMS) report.tooMany(path, names.length, MOST_ITEMS);
  for (const [index, name] of names.entries()) {
    validateReference(report, `${path}[${index}]`, name, known);
    if (names.indexOf(name) < index) report.duplicate(`${path}[${index}]`, name);
  }
}

/** Checks the name of a request, or of one of its alternatives. */
export function validateReference(report: FieldReport, path: string, name: string, known: ReadonlySet<string>): void {
  const parts = name.split('/');
  if (parts.length <= 2) for (const part of parts) report.named(path, part, label);
  if (parts.length > 2 || !known.has(name)) report.invalid(path, name, NAMED);
}

/** Checks settings for drivers of devices, which the server does not understand. */
export function validateConfiguration(report: FieldReport, path: string, configuration: Values): void {
  const opaque = structOf(configuration['opaque']);
  if (!opaque) return report.required(`${path}.opaque`);
  validateDriverName(report, `${path}.opaque.driver`, opaque['driver']);
  validateObjectText(report, `${path}.opaque.parameters`, opaque['parameters'], 10 * 1024);
}

/** Checks an object of any content, up to a length. */
export function validateObjectText(report: FieldReport, path: string, value: unknown, longest: number): void {
  if (value === undefined || value === null) report.required(path);
  else if (!structOf(value)) report.invalid(path, '<value omitted>', 'must be a valid JSON object');
  else if (countOf(value) > 0 && JSON.stringify(value).length > longest) report.tooLong(path, longest);
}
