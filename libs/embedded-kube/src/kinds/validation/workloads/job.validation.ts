import { jsonEqual } from '../../../common/json.values.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { describeScheduleError } from './cron.schedule.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validatePodTemplate } from '../pods/pod.validation.js';
import { isReadable, selects, validateLabelSelector } from '../selector.validation.js';
import { countIndexes, indexProblem } from './job-index.rules.js';

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
];
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** The indexes of a job, and how many of them can run or fail where there are more and each has its own limit. */
const MOST_INDEXES = 100_000;
const MOST_OF_MANY = 10_000;
const MOST_SUCCESS_RULES = 20;
/** The longest list of indexes in a rule of success, in bytes. */
const LONGEST_INDEXES = 64 * 1024;

/** The fields that decide where pods run, which can change while their job is suspended. */
const DIRECTIVES = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** Checks a job; its selector and the labels of its pods are generated before. */
export function validateJob(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const old = previous && (structOf(previous['spec']) ?? {});
  if (old && jsonEqual(spec, old)) return;
  validateGeneratedSelector(report, object, spec, old);
  const found = report.errors.length;
  validateJobSpec(report, 'spec', spec);
  const selector = structOf(spec['selector']);
  if (selector) validateLabelSelector(report, 'spec.selector', selector);
  else report.required('spec.selector');
  const labels = structOf(structOf(structOf(spec['template'])?.['metadata'])?.['labels']);
  if (!selector || (isReadable(selector) && !selects(selector, labels ?? {}))) {
    report.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
  }
  const ofSpec = report.errors.slice(found);
  validateHostNames(report, object, spec);
  if (!old) return;
  // The real server checks the spec twice in an update, and reports its errors twice.
  report.errors.push(...ofSpec);
  if (spec['completionMode'] !== 'Indexed') {
    report.unchanged('spec.completions', spec['completions'], old['completions']);
  } else if (spec['completions'] !== old['completions'] && spec['completions'] !== spec['parallelism']) {
    report.invalid('spec.completions', spec['completions'], 'can only be modified in tandem with spec.parallelism');
  }
  report.unchanged('spec.selector', spec['selector'], old['selector']);
  validateJobTemplate(report, 'spec.template', object, previous);
  for (const field of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']) {
    // An empty policy is not the same as none.
    const isAdded = (spec[field] === undefined) !== (old[field] === undefined);
    if (isAdded) report.invalid(`spec.${field}`, spec[field], 'field is immutable');
    else report.unchanged(`spec.${field}`, spec[field], old[field]);
  }
}

/**
 * Checks that the selector that is generated for a job selects its pods by their labels, and nothing else. Older jobs do without the newer
 * labels.
 */
function validateGeneratedSelector(
  report: FieldReport,
  { metadata }: Draft,
  spec: Values,
  old: Values | undefined,
): void {
  const selector = structOf(spec['selector']);
  if (spec['manualSelector'] === true || !selector) return;
  const { uid = '', name = '' } = metadata;
  const former = { 'controller-uid': uid, 'job-name': name };
  const present = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name };
  const oldLabels = labelsOf(old ?? spec);
  const areNew = !old || Object.keys(present).every((key) => oldLabels[key] !== undefined);
  const own: Record<string, string> = { ...former, ...(areNew && present) };
  const labels = labelsOf(spec);
  for (const [key, value] of Object.entries(own)) {
    const at = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) report.required(at, `must be '${value}'`);
    else if (labels[key] !== value) report.invalid(at, labels, `must be '${value}'`);
  }
  if (isReadable(selector) && !selects(selector, own)) {
    report.invalid('spec.selector', selector, '`selector` not auto-generated');
  }
}

/** Returns the labels of a job's pods. */
function labelsOf(spec: Values): Values {
  return structOf(structOf(structOf(spec['template'])?.['metadata'])?.['labels']) ?? {};
}

/** Checks the host names of the pods of an indexed job, which begin with its name. */
function validateHostNames(report: FieldReport, { metadata }: Draft, { completionMode, completions }: Values): void {
  if (completionMode !== 'Indexed' || !(Number(completions) > 0)) return;
  const last = `${metadata.name ?? ''}-${Number(completions) - 1}`;
  if (label(last).length === 0) return;
  const rule = `will not able to create pod with invalid DNS label: ${last}`;
  report.invalid('metadata.name', metadata.name ?? '', rule);
}

export function validateCronJob(report: FieldReport, spec: Values, old: Values | undefined): void {
  const schedule = textOf(spec['schedule']);
  if (report.requiredText('spec.schedule', schedule)) {
    const problem = describeScheduleError(schedule);
    if (problem !== undefined) report.invalid('spec.schedule', schedule, problem);
    if (schedule.includes('TZ')) {
      report.invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    }
  }
  report.nonNegative('spec.startingDeadlineSeconds', spec['startingDeadlineSeconds']);
  if (!old || old['timeZone'] !== spec['timeZone']) validateTimeZone(report, 'spec.timeZone', spec['timeZone']);
  report.oneOfRequired('spec.concurrencyPolicy', spec['concurrencyPolicy'], ['Allow', 'Forbid', 'Replace']);
  const jobSpec = structOf(structOf(spec['jobTemplate'])?.['spec']) ?? {};
  validateJobSpec(report, 'spec.jobTemplate.spec', jobSpec);
  if (jobSpec['selector'] !== undefined) {
    report.invalid('spec.jobTemplate.spec.selector', jobSpec['selector'], '`selector` will be auto-generated');
  }
  if (jobSpec['manualSelector'] === true) {
    report.oneOf('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']);
  }
  report.nonNegative('spec.successfulJobsHistoryLimit', spec['successfulJobsHistoryLimit']);
  report.nonNegative('spec.failedJobsHistoryLimit', spec['failedJobsHistoryLimit']);
}

/** Checks the name of a cron job, of which, with a time, the names of its jobs are made. */
export function validateCronJobName(report: FieldReport, { metadata }: Draft): void {
  if ((metadata.name ?? '').length > 52) {
    report.invalid('metadata.name', metadata.name, 'must be no more than 52 characters');
  }
}

function validateTimeZone(report: FieldReport, path: string, value: unknown): void {
  if (value === undefined) return;
  const zone = textOf(value);
  if (!zone) return report.invalid(path, zone, 'timeZone must be nil or non-empty string');
  const isWritten = zone.split('/').every((part) => /^[A-Za-z\d_+-]*$/.test(part) && !part.startsWith('-'));
  if (isWritten && zone.toLowerCase() === 'local') {
    report.invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  if (!isWritten || !isTimeZone(zone)) report.invalid(path, zone, `unknown time zone ${zone}`);
}

function isTimeZone(zone: string): boolean {
  if (zone === 'UTC' || zone === 'Local') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function validateJobSpec(report: FieldReport, path: string, spec: Values): void {
  for (const field of COUNTS) report.nonNegative(`${path}.${field}`, spec[field]);
  const { maxFailedIndexes, backoffLimitPerIndex, managedBy, completionMode } = spec;
  report.nonNegative(`${path}.maxFailedIndexes`, maxFailedIndexes);
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    report.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  }
  if (managedBy !== undefined) {
    validatePrefixedPath(report, `${path}.managedBy`, textOf(managedBy));
    if (Buffer.byteLength(textOf(managedBy)) > 63) report.tooLong(`${path}.managedBy`, 63);
  }
  report.oneOfOptional(`${path}.completionMode`, completionMode, ['NonIndexed', 'Indexed']);
  if (completionMode === 'Indexed') validateIndexed(report, path, spec);
  if (completionMode === undefined || completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      if (spec[field] !== undefined)
        report.invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode');
    }
  }
  const policy = structOf(spec['podFailurePolicy']);
  if (policy) validateFailurePolicy(report, `${path}.podFailurePolicy`, policy, spec);
  const success = structOf(spec['successPolicy']);
  if (success && completionMode !== 'Indexed') {
    report.invalid(`${path}.successPolicy`, success, 'requires indexed completion mode');
  } else if (success) validateSuccessPolicy(report, `${path}.successPolicy.rules`, itemsOf(success['rules']), spec);
  const replacements = policy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  report.oneOfOptional(`${path}.podReplacementPolicy`, spec['podReplacementPolicy'], replacements);
  const template = structOf(spec['template']) ?? {};
  validatePodTemplate(report, `${path}.template`, template);
  validateRestart(
    report,
    `${path}.template.spec.restartPolicy`,
    structOf(template['spec'])?.['restartPolicy'],
    !!policy,
  );
}

function validateRestart(report: FieldReport, path: string, value: unknown, hasPolicy: boolean): void {
  if (!value || value === 'Always') report.required(path, 'valid values: "OnFailure", "Never"');
  else if (value !== 'OnFailure' && value !== 'Never') report.oneOf(path, value, ['OnFailure', 'Never']);
  else if (hasPolicy && value !== 'Never') {
    report.invalid(path, value, 'only "Never" is supported when podFailurePolicy is specified');
  }
}

function validateIndexed(report: FieldReport, path: string, spec: Values): void {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const limit = (field: string, most: number, when = ''): void => {
    if (Number(spec[field] ?? 0) > most) {
      report.invalid(`${path}.${field}`, spec[field], `must be less than or equal to ${most}${when}`);
    }
  };
  if (completions === undefined) report.required(`${path}.completions`, 'when completion mode is Indexed');
  limit('parallelism', MOST_INDEXES, ' when completion mode is Indexed');
  if (completions !== undefined && Number(maxFailedIndexes ?? 0) > Number(completions)) {
    report.invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions');
  }
  limit('maxFailedIndexes', MOST_INDEXES);
  if (Number(completions ?? 0) <= MOST_INDEXES || backoffLimitPerIndex === undefined) return;
  if (maxFailedIndexes === undefined) {
    report.required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MOST_INDEXES}`);
  }
  const when = ` when completions are above ${MOST_INDEXES} and used with backoff limit per index`;
  if (parallelism !== undefined) limit('parallelism', MOST_OF_MANY, when);
  limit('maxFailedIndexes', MOST_OF_MANY, when);
}

function validatePrefixedPath(report: FieldReport, path: string, text: string): void {
  if (!report.requiredText(path, text)) return;
  const [prefix = '', ...rest] = text.split('/');
  const target = rest.join('/');
  if (rest.length === 0 || !prefix || !target) {
    return report.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  for (const problem of subdomain(prefix)) report.invalid(path, prefix, problem);
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(target)) {
    report.invalid(path, target, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
}

function validateFailurePolicy(report: FieldReport, path: string, policy: Values, spec: Values): void {
  const podSpec = structOf(structOf(spec['template'])?.['spec']);
  const containers = [...itemsOf(podSpec?.['containers']), ...itemsOf(podSpec?.['initContainers'])];
  const names = new Set(containers.map(({ name }) => name));
  for (const [index, rule] of itemsOf(policy['rules']).entries()) {
    const at = `${path}.rules[${index}]`;
    const { action } = rule;
    if (!action) report.required(`${at}.action`, `valid values: ${quoted(ACTIONS)}`);
    else if (action === 'FailIndex') {
      if (spec['backoffLimitPerIndex'] === undefined) {
        report.invalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set');
      }
    } else report.oneOf(`${at}.action`, action, ACTIONS);
    const codes = structOf(rule['onExitCodes']);
    const conditions = itemsOf(rule['onPodConditions']);
    if (codes) validateExitCodes(report, `${at}.onExitCodes`, codes, names);
    for (const [position, { type, status }] of conditions.entries()) {
      const condition = `${at}.onPodConditions[${position}]`;
      report.named(`${condition}.type`, type, qualifiedName);
      report.oneOfRequired(`${condition}.status`, status, STATUSES, `valid values: ${quoted(STATUSES)}`);
    }
    const isBoth = codes && conditions.length > 0;
    if (isBoth || (!codes && conditions.length === 0)) {
      const detail = isBoth
        ? 'specifying both OnExitCodes and OnPodConditions is not supported'
        : 'specifying one of OnExitCodes and OnPodConditions is required';
      report.errors.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field: at });
    }
  }
}

function validateExitCodes(report: FieldReport, path: string, codes: Values, names: ReadonlySet<unknown>): void {
  const { operator, containerName, values } = codes;
  report.oneOfRequired(`${path}.operator`, operator, OPERATORS, `valid values: ${quoted(OPERATORS)}`);
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    report.invalid(`${path}.containerName`, containerName, detail);
  }
  const numbers = Array.isArray(values) ? values.map(Number) : [];
  if (numbers.length === 0) report.invalid(`${path}.values`, values, 'at least one value is required');
  for (const [index, number] of numbers.entries()) {
    if (operator === 'In' && number === 0) {
      report.invalid(`${path}.values[${index}]`, number, 'must not be 0 for the In operator');
    }
    if (numbers.indexOf(number) < index) report.duplicate(`${path}.values[${index}]`, number);
  }
  if (numbers.some((number, index) => index > 0 && numbers[index - 1]! > number)) {
    report.invalid(`${path}.values`, values, 'must be ordered');
  }
}

function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

/** Rules by which an indexed job has succeeded before all of its indexes have. */
function validateSuccessPolicy(report: FieldReport, path: string, rules: readonly Values[], job: Values): void {
  if (rules.length === 0) {
    report.required(path, 'at least one rules must be specified when the successPolicy is specified');
  }
  if (rules.length > MOST_SUCCESS_RULES) report.tooMany(path, rules.length, MOST_SUCCESS_RULES);
  const completions = Number(job['completions'] ?? 0);
  for (const [index, rule] of rules.entries()) validateSuccessRule(report, `${path}[${index}]`, rule, completions);
}

function validateSuccessRule(
  report: FieldReport,
  path: string,
  { succeededCount, succeededIndexes }: Values,
  completions: number,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    report.required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  const indexes = textOf(succeededIndexes);
  const problem = indexProblem(indexes, completions);
  const total = problem ? 0 : countIndexes(indexes);
  if (Buffer.byteLength(indexes) > LONGEST_INDEXES) report.tooLong(`${path}.succeededIndexes`, LONGEST_INDEXES);
  if (problem) {
    report.invalid(`${path}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${problem}`);
  }
  if (succeededCount === undefined) return;
  const at = `${path}.succeededCount`;
  report.nonNegative(at, succeededCount);
  const limit = (most: number, what: string): void => {
    if (Number(succeededCount) <= most) return;
    report.invalid(at, succeededCount, `must be less than or equal to ${most} (the number of ${what})`);
  };
  limit(completions, 'specified completions');
  if (succeededIndexes !== undefined) limit(total, 'indexes in the specified succeededIndexes field');
}

/**
 * Checks that the template of a job stays as it is. While a job is suspended and none of its pods runs, only the nodes and the resources of
 * its pods may change.
 */
function validateJobTemplate(report: FieldReport, path: string, next: Values, old: Values): void {
  const [spec, oldSpec] = [structOf(next['spec']) ?? {}, structOf(old['spec']) ?? {}];
  const [template, oldTemplate] = [structOf(spec['template']) ?? {}, structOf(oldSpec['template']) ?? {}];
  if (!canChange(oldSpec, structOf(old['status']) ?? {})) {
    return report.unchanged(path, template, oldTemplate);
  }
  const [pod, oldPod] = [structOf(template['spec']) ?? {}, structOf(oldTemplate['spec']) ?? {}];
  const directives = Object.fromEntries(DIRECTIVES.map((field) => [field, pod[field]]));
  const changed = {
    ...oldPod,
    ...directives,
    affinity: withNodeAffinity(structOf(pod['affinity']), structOf(oldPod['affinity'])),
    containers: withResources(itemsOf(pod['containers']), itemsOf(oldPod['containers'])),
    initContainers: withResources(itemsOf(pod['initContainers']), itemsOf(oldPod['initContainers'])),
  };
  if (!isSameContent(pod, changed)) report.invalid(`${path}.spec`, pod, 'field is immutable');
}

/** Whether a job is suspended, and has none of the pods that it had before. */
function canChange({ suspend }: Values, { startTime, conditions, active = 0 }: Values): boolean {
  const isSuspended = itemsOf(conditions).some(({ type, status }) => type === 'Suspended' && status === 'True');
  return suspend === true && (startTime === undefined || isSuspended) && active === 0;
}

function withNodeAffinity(next: Values | undefined, old: Values | undefined): Values | undefined {
  if (!next && !old) return undefined;
  return { ...old, nodeAffinity: next?.['nodeAffinity'] };
}

function withResources(next: readonly Values[], old: readonly Values[]): readonly Values[] {
  if (next.length !== old.length) return old;
  return old.map((container, index) =>
    textOf(container['name']) === textOf(next[index]!['name'])
      ? { ...container, resources: next[index]!['resources'] }
      : container,
  );
}
