// The devices that drivers offer on nodes.
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, labelValue, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { validateAttributeName } from './device.validation.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateNodeSelector } from '../selector.validation.js';
import { validateDriverName } from '../storage/volume-source.rules.js';

const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const UNSET_OR_TRUE = 'must be either unset or set to true';
const PLACES = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const DEVICE_PLACES =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NO_DEVICE_PLACES =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$`,
);
const LONGEST_VALUE = 64;
const MOST_COUNTER_SETS = 8;
const MOST_BINDINGS = 4;

export function validateResourceSlice(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const pool = structOf(spec['pool']) ?? {};
  validateDriverName(report, 'spec.driver', spec['driver']);
  validatePool(report, 'spec.pool', pool);
  const old = previous && (structOf(previous['spec']) ?? {});
  if (old) {
    const oldPool = structOf(old['pool']) ?? {};
    report.unchanged('spec.pool.name', pool['name'] ?? '', oldPool['name'] ?? '');
    report.unchanged('spec.driver', spec['driver'] ?? '', old['driver'] ?? '');
    report.unchanged('spec.nodeName', spec['nodeName'], old['nodeName']);
  }
  validatePlaces(report, 'spec', spec, ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'], PLACES);
  if (spec['sharedCounters'] !== undefined && spec['devices'] !== undefined) {
    report.invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed');
  }
  const devices = itemsOf(spec['devices']);
  const isAdvanced = devices.some((device) => countOf(device['taints']) + countOf(device['consumesCounters']) > 0);
  const most = isAdvanced ? 64 : 128;
  if (devices.length > most) report.tooMany('spec.devices', devices.length, most);
  const names = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const at = `spec.devices[${index}]`;
    validateDevice(report, at, device, spec['perDeviceNodeSelection'] === true);
    const name = textOf(device['name']);
    if (names.has(name)) report.duplicate(at, name);
    names.add(name);
  }
  validateCounterSets(report, 'spec.sharedCounters', itemsOf(spec['sharedCounters']), 'name', 32);
}

function validatePool(report: FieldReport, path: string, { name, resourceSliceCount, generation }: Values): void {
  const text = textOf(name);
  if (!text) report.required(`${path}.name`);
  else {
    if (text.length > 253) report.tooLong(`${path}.name`, 253);
    for (const part of text.split('/')) {
      for (const problem of subdomain(part)) report.invalid(`${path}.name`, part, problem);
    }
  }
  report.positive(`${path}.resourceSliceCount`, resourceSliceCount);
  if (Number(generation) < 0) {
    report.invalid(`${path}.generation`, generation, 'must be greater than or equal to zero');
  }
}

/** Checks that exactly one of the possible ways selects the nodes of a slice or a device. */
function validatePlaces(
  report: FieldReport,
  path: string,
  owner: Values,
  fields: readonly string[],
  rule: string,
): void {
  const given: string[] = [];
  for (const field of fields) {
    const value = owner[field];
    if (value === undefined) continue;
    const at = `${path}.${field}`;
    if (field === 'nodeName' && value === '') {
      const detail = path === 'spec' ? 'must be either unset or set to a non-empty string' : 'must not be empty';
      report.invalid(at, '', detail);
    } else if (value === false) report.invalid(at, false, UNSET_OR_TRUE);
    else given.push(`\`${field}\``);
    if (field === 'nodeName' && value !== '') report.named(at, value, subdomain);
    if (field !== 'nodeSelector') continue;
    const selector = structOf(value) ?? {};
    validateNodeSelector(report, at, selector);
    if (path === 'spec' && countOf(selector['nodeSelectorTerms']) !== 1) {
      const terms = selector['nodeSelectorTerms'] ?? null;
      report.invalid(`${at}.nodeSelectorTerms`, terms, 'must have exactly one node selector term');
    }
  }
  if (given.length === 0) report.required(path, rule);
  else if (given.length > 1) report.invalid(path, `{${given.join(', ')}}`, several(rule));
}

function several(rule: string): string {
  return rule === PLACES ? `${rule}, but multiple fields are set` : rule;
}

function validateDevice(report: FieldReport, path: string, device: Values, hasPlace: boolean): void {
  report.named(`${path}.name`, device['name'], label);
  const attributes = structOf(device['attributes']) ?? {};
  const capacity = structOf(device['capacity']) ?? {};
  const count = countOf(attributes) + countOf(capacity);
  if (count > 32) {
    report.invalid(path, count, 'the total number of attributes and capacities must not exceed 32');
  }
  for (const [name, attribute] of Object.entries(attributes)) {
    validateAttributeName(report, `${path}.attributes`, name);
    validateAttribute(report, `${path}.attributes[${name}]`, structOf(attribute) ?? {});
  }
  for (const [name, each] of Object.entries(capacity)) {
    validateAttributeName(report, `${path}.capacity`, name);
    if (device['allowMultipleAllocations'] === true || !structOf(each)?.['requestPolicy']) continue;
    report.forbidden(`${path}.capacity[${name}].requestPolicy`, 'allowMultipleAllocations must be true');
  }
  for (const [index, { key, value, effect }] of itemsOf(device['taints']).entries()) {
    const at = `${path}.taints[${index}]`;
    report.named(`${at}.key`, key, qualifiedName);
    if (value) report.named(`${at}.value`, value, labelValue);
    report.oneOfRequired(`${at}.effect`, effect, EFFECTS);
  }
  validateCounterSets(report, `${path}.consumesCounters`, itemsOf(device['consumesCounters']), 'counterSet', 32);
  const places = ['nodeName', 'nodeSelector', 'allNodes'];
  if (hasPlace) validatePlaces(report, path, device, places, DEVICE_PLACES);
  else if (places.some((field) => device[field] !== undefined)) report.invalid(path, null, NO_DEVICE_PLACES);
  validateBindings(report, path, textsOf(device['bindingConditions']), textsOf(device['bindingFailureConditions']));
}

/** Checks the conditions for which a pod waits that is to use a device. */
function validateBindings(
  report: FieldReport,
  path: string,
  conditions: readonly string[],
  failures: readonly string[],
): void {
  const [of, ofFailures] = ['bindingConditions', 'bindingFailureConditions'] as const;
  for (const [field, names] of [
    [of, conditions],
    [ofFailures, failures],
  ] as const) {
    if (names.length > MOST_BINDINGS) report.tooMany(`${path}.${field}`, names.length, MOST_BINDINGS);
    for (const [index, name] of names.entries()) report.named(`${path}.${field}[${index}]`, name, qualifiedName);
  }
  for (const [index, name] of conditions.entries()) {
    if (conditions.indexOf(name) < index) report.duplicate(`${path}.${of}[${index}]`, name);
  }
  for (const [index, name] of failures.entries()) {
    const at = `${path}.${ofFailures}[${index}]`;
    if (failures.indexOf(name) < index) report.duplicate(at, name);
    if (conditions.includes(name)) report.invalid(at, name, `${ofFailures} must not overlap with ${of}`);
  }
  if (conditions.length === 0 && failures.length > 0) {
    report.invalid(`${path}.${of}`, null, `${of} are required to use ${ofFailures}`);
  }
  if (failures.length === 0 && conditions.length > 0) {
    report.invalid(`${path}.${ofFailures}`, null, `${ofFailures} are required to use ${of}`);
  }
}

function validateAttribute(report: FieldReport, path: string, attribute: Values): void {
  const given = Object.entries(attribute).filter(([, value]) => value !== undefined && value !== null);
  for (const [field, value] of given) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (Array.isArray(value) && value.length === 0) {
      report.invalid(`${path}.${field}`, value, 'must not be empty if specified');
    }
    for (const [index, each] of values.entries()) {
      const at = Array.isArray(value) ? `${path}.${field}[${index}]` : `${path}.${field}`;
      const text = textOf(each);
      if (field.startsWith('version') && !VERSION.test(text)) {
        report.invalid(at, text, 'must be a string compatible with semver.org spec 2.0.0');
      }
      const isText = field.startsWith('version') || field.startsWith('string');
      if (isText && text.length > LONGEST_VALUE) report.tooLong(at, LONGEST_VALUE);
    }
  }
  if (given.length === 1) return;
  report.invalid(path, given.length === 0 ? '' : attribute, 'exactly one value must be specified');
}

function validateCounterSets(
  report: FieldReport,
  path: string,
  sets: readonly Values[],
  field: string,
  mostCounters: number,
): void {
  if (sets.length > MOST_COUNTER_SETS) report.tooMany(path, sets.length, MOST_COUNTER_SETS);
  const names = new Set<string>();
  for (const [index, set] of sets.entries()) {
    const at = `${path}[${index}]`;
    const name = textOf(set[field]);
    report.namedRequired(`${at}.${field}`, name, label);
    const counters = Object.keys(structOf(set['counters']) ?? {});
    if (counters.length === 0) report.required(`${at}.counters`);
    if (counters.length > mostCounters) report.tooMany(`${at}.counters`, counters.length, mostCounters);
    for (const counter of counters) report.named(`${at}.counters`, counter, label);
    if (names.has(name)) report.duplicate(at, name);
    names.add(name);
  }
}
