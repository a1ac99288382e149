import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { labelValue, qualifiedName } from '../../../resources/name.rules.js';
import { type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateQuantity } from '../resource.validation.js';
import { isRange, validateRange } from '../text.rules.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateNode(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const ranges = textsOf(spec['podCIDRs']);
  validateTaints(report, itemsOf(spec['taints']));
  for (const [index, range] of ranges.entries()) validateRange(report, `spec.podCIDRs[${index}]`, range);
  if (ranges.length > 1) validateFamilies(report, 'spec.podCIDRs', ranges);
  if (!previous) return;
  validateNodeStatus(report, structOf(object['status']) ?? {});
  validateNodeChange(report, spec, structOf(previous['spec']) ?? {});
  validateTaints(report, itemsOf(spec['taints']));
}

/** Checks that several ranges of a node's pods are one for each family of addresses. */
function validateFamilies(report: FieldReport, path: string, ranges: readonly string[]): void {
  const unreadable = ranges.findIndex((range) => !isRange(range));
  if (unreadable >= 0) {
    const problem = `invalid CIDR[${unreadable}]: <nil> (invalid CIDR address: ${ranges[unreadable]})`;
    report.internal(path, `invalid PodCIDRs. failed to check with dual stack with error:${problem}`);
  }
  const families = new Set(ranges.map((range) => (range.includes(':') ? 6 : 4)));
  if (unreadable >= 0 || families.size < ranges.length) {
    report.invalid(path, ranges, 'may specify no more than one CIDR for each IP family');
  }
}

/** Checks that the addresses and the machine of a node are set once. */
function validateNodeChange(report: FieldReport, spec: Values, old: Values): void {
  const [ranges, before] = [spec, old].map(({ podCIDRs }) => textsOf(podCIDRs)) as [string[], string[]];
  if (before.length > 0) {
    const rule = 'node updates may not change podCIDR except from "" to valid';
    const changes = ranges.length === before.length ? before.filter((range, index) => range !== ranges[index]) : [''];
    for (const _ of changes) report.forbidden('spec.podCIDRs', rule);
  }
  const machine = textOf(old['providerID']);
  if (machine && machine !== textOf(spec['providerID'])) {
    report.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid');
  }
  if (textOf(spec['externalID']) !== textOf(old['externalID'])) {
    report.forbidden('spec.externalID', 'may not be updated');
  }
}

/** Taints of nodes; the real server names their path wrongly. */
function validateTaints(report: FieldReport, taints: readonly Values[]): void {
  const seen = new Set<string>();
  for (const [index, { key, value, effect }] of taints.entries()) {
    const path = `metadata.taints[${index}]`;
    report.named(`${path}.key`, key, qualifiedName);
    const problems = labelValue(textOf(value));
    if (problems.length > 0) report.invalid(`${path}.value`, value, problems.join(';'));
    report.oneOfRequired(`${path}.effect`, effect, EFFECTS);
    const id = `${textOf(key)}:${textOf(effect)}`;
    if (seen.has(id)) {
      report.duplicate(path, { Key: key, Value: textOf(value), Effect: effect, TimeAdded: null });
      const error = report.errors.pop()!;
      report.errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    seen.add(id);
  }
}

function validateNodeStatus(report: FieldReport, status: Values): void {
  for (const field of ['capacity', 'allocatable']) {
    for (const [name, quantity] of Object.entries(structOf(status[field]) ?? {})) {
      validateQuantity(report, `status.${field}.${name}`, quantity);
    }
  }
  const seen = new Set<string>();
  for (const [index, { type, address }] of itemsOf(status['addresses']).entries()) {
    const known = JSON.stringify([type, address]);
    if (seen.has(known)) report.duplicate(`status.addresses[${index}]`, { Type: type, Address: address });
    seen.add(known);
  }
}
