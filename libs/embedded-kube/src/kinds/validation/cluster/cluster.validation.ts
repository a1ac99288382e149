import { SYSTEM_PRIORITY_CLASSES } from '../../priority.classes.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, labelValue, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { validateConditions } from '../condition.validation.js';
import { validateEndpointAddress } from '../networking/endpoint-slice.validation.js';
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
import { validateQuantity, validateResources } from '../resource.validation.js';
import { validateTolerations } from '../pods/scheduling.validation.js';
import { validateLabels, validateLabelSelector } from '../selector.validation.js';
import { isRange, validateAddress, validateRange } from '../text.rules.js';
import { validateAtMostAll, validateShare, validateUnchanged } from '../workloads/workload.validation.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const HIGHEST_PRIORITY = 1_000_000_000;

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

/** Several ranges of a node's pods are one for each family of addresses. */
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

/** The addresses and the machine of a node are given once. */
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

export function validateEndpoints(report: FieldReport, object: Draft): void {
  for (const [index, subset] of itemsOf(object['subsets']).entries()) {
    const path = `subsets[${index}]`;
    const ports = itemsOf(subset['ports']);
    if (countOf(subset['addresses']) + countOf(subset['notReadyAddresses']) === 0) {
      report.required(path, 'must specify `addresses` or `notReadyAddresses`');
    }
    for (const field of ['addresses', 'notReadyAddresses']) {
      for (const [position, { ip, hostname, nodeName }] of itemsOf(subset[field]).entries()) {
        const at = `${path}.${field}[${position}]`;
        validateAddress(report, `${at}.ip`, ip);
        if (hostname) report.named(`${at}.hostname`, hostname, label);
        if (nodeName !== undefined) report.named(`${at}.nodeName`, nodeName, subdomain);
        validateEndpointAddress(report, `${at}.ip`, textOf(ip));
      }
    }
    for (const [position, port] of ports.entries()) {
      const at = `${path}.ports[${position}]`;
      if (ports.length > 1 && !port['name']) report.required(`${at}.name`);
      else if (port['name']) report.named(`${at}.name`, port['name'], label);
      report.port(`${at}.port`, port['port'] ?? 0);
      report.oneOfRequired(`${at}.protocol`, port['protocol'], PROTOCOLS);
      if (port['appProtocol'] !== undefined) report.named(`${at}.appProtocol`, port['appProtocol'], qualifiedName);
    }
  }
}

export function validateDisruptionBudget(report: FieldReport, spec: Values): void {
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    report.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (spec[field] === undefined) continue;
    validateShare(report, `spec.${field}`, spec[field]);
    validateAtMostAll(report, `spec.${field}`, spec[field]);
  }
  validateLabelSelector(report, 'spec.selector', spec['selector']);
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  report.oneOfOptional('spec.unhealthyPodEvictionPolicy', spec['unhealthyPodEvictionPolicy'], policies);
}

/** Checks what a controller says about a budget. */
export function validateBudgetStatus(report: FieldReport, { status }: Draft): void {
  const counts = structOf(status) ?? {};
  validateConditions(report, 'status.conditions', itemsOf(counts['conditions']));
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) {
    report.nonNegative(`status.${field}`, counts[field]);
  }
}

export function validatePriorityClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const value = object['value'] ?? 0;
  if (previous) {
    if (value !== (previous['value'] ?? 0)) report.forbidden('value', 'may not be changed in an update.');
    return validateUnchanged(report, 'preemptionPolicy', object['preemptionPolicy'], previous['preemptionPolicy']);
  }
  const isSystem = object.metadata.name?.startsWith('system-') === true;
  if (isSystem) {
    const rule = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    const problem = systemClassProblem(object.metadata.name!, value, object['globalDefault'] === true);
    if (problem) report.forbidden('metadata.name', `${rule}${problem}`);
  } else if (Number(value) > HIGHEST_PRIORITY) {
    report.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`);
  }
  report.oneOfOptional('preemptionPolicy', object['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
}

/** The difference of a class from the one that every cluster has by this name. */
function systemClassProblem(name: string, value: unknown, isDefault: boolean): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.find((each) => each.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function validateLease(report: FieldReport, spec: Values): void {
  const { leaseDurationSeconds, leaseTransitions } = spec;
  if (leaseDurationSeconds !== undefined && Number(leaseDurationSeconds) <= 0) {
    report.invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0');
  }
  report.nonNegative('spec.leaseTransitions', leaseTransitions);
}

export function validateRuntimeClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  report.namedRequired('handler', object['handler'], label);
  const overhead = structOf(object['overhead']);
  if (overhead) validateResources(report, 'overhead', { limits: overhead['podFixed'] });
  const scheduling = structOf(object['scheduling']);
  if (scheduling) validateClassScheduling(report, scheduling);
  if (previous) validateUnchanged(report, 'handler', object['handler'] ?? '', previous['handler'] ?? '');
}

function validateClassScheduling(report: FieldReport, scheduling: Values): void {
  validateLabels(report, 'scheduling.nodeSelector', scheduling['nodeSelector']);
  const tolerations = itemsOf(scheduling['tolerations']);
  validateTolerations(report, 'scheduling.tolerations', tolerations);
  for (const [index, toleration] of tolerations.entries()) {
    const untimed = ({ tolerationSeconds: _, ...each }: Values): Values => each;
    const isRepeated = tolerations.slice(0, index).some((each) => isSameContent(untimed(each), untimed(toleration)));
    if (isRepeated) report.duplicate(`scheduling.tolerations[${index}]`, toleration);
  }
}
