import { jsonEqual } from '../../../common/json.values.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { indexProblem } from './job-index.rules.js';

/** The conditions that stay once they are true. */
const TERMINAL = ['Failed', 'Complete', 'FailureTarget'];

/** A job before or after its status is written. */
interface JobState {
  readonly spec: Values;
  readonly status: Values;
  readonly isComplete: boolean;
  readonly isFailed: boolean;
  readonly isFinished: boolean;
  readonly isFailing: boolean;
  readonly isSuccessful: boolean;
}

/**
 * Checks the status of a job. As on the real server, most rules look at fields that change only, so that a status that broke a rule
 * before does not keep others from being written.
 */
export function validateJobStatus(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const [job, old] = [stateOf(object), stateOf(previous ?? {})];
  validateCounts(report, job);
  validateEnd(report, job, old);
  validateIndexes(report, job, old);
  validateOutcome(report, job);
  validateProgress(report, job, old);
}

function stateOf(object: Readonly<Record<string, unknown>>): JobState {
  const [spec, status] = [structOf(object['spec']) ?? {}, structOf(object['status']) ?? {}];
  const [isComplete, isFailed] = [isTrue(status, 'Complete'), isTrue(status, 'Failed')];
  const [isFailing, isSuccessful] = [isTrue(status, 'FailureTarget'), isTrue(status, 'SuccessCriteriaMet')];
  return { spec, status, isComplete, isFailed, isFinished: isComplete || isFailed, isFailing, isSuccessful };
}

function isTrue(status: Values, name: string, value = 'True'): boolean {
  return itemsOf(status['conditions']).some((condition) => condition['type'] === name && condition['status'] === value);
}

function validateCounts(report: FieldReport, { status }: JobState): void {
  for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    report.nonNegative(`status.${name}`, status[name]);
  }
  const uncounted = structOf(status['uncountedTerminatedPods']) ?? {};
  const seen = new Set<string>();
  for (const field of ['succeeded', 'failed']) {
    for (const [index, uid] of textsOf(uncounted[field]).entries()) {
      const at = `status.uncountedTerminatedPods.${field}[${index}]`;
      if (uid === '') report.invalid(at, uid, 'must not be empty');
      else if (seen.has(uid)) report.duplicate(at, uid);
      seen.add(uid);
    }
  }
}

function validateEnd(report: FieldReport, job: JobState, old: JobState): void {
  const { status, spec, isComplete, isFailed, isFinished } = job;
  const hasChanged = (field: string): boolean => !isSameContent(status[field], old.status[field]);
  const completes = isComplete !== old.isComplete;
  const finishes = isFinished !== old.isFinished;
  const fails = isFailed !== old.isFailed;
  const { startTime, completionTime } = status;
  const isTimed = completes || hasChanged('completionTime');
  if ((completes || fails) && isComplete && isFailed)
    conditions(report, 'cannot set Complete=True and Failed=true conditions');
  if ((completes || job.isFailing !== old.isFailing) && isComplete && job.isFailing) {
    conditions(report, 'cannot set Complete=True and FailureTarget=true conditions');
  }
  const completion = 'status.completionTime';
  if (isTimed && completionTime && !isComplete) {
    report.invalid(completion, completionTime, 'cannot set completionTime when there is no Complete=True condition');
  }
  if (isTimed && !completionTime && isComplete)
    report.required(completion, 'completionTime is required for Complete jobs');
  const hasNewTimes = hasChanged('startTime') || hasChanged('completionTime');
  if (hasNewTimes && startTime && completionTime && timeOf(completionTime) < timeOf(startTime)) {
    report.invalid(completion, completionTime, 'must be equal to or after `startTime`');
  }
  if ((fails || job.isFailing !== old.isFailing) && isFailed && !job.isFailing) {
    conditions(report, 'cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if ((completes || job.isSuccessful !== old.isSuccessful) && isComplete && !job.isSuccessful) {
    conditions(report, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if (!isFinished) return;
  if ((finishes || hasChanged('active')) && Number(status['active'] ?? 0) > 0) {
    report.invalid('status.active', status['active'], 'active>0 is invalid for finished job');
  }
  const isEmpty = spec['suspend'] === true && spec['completions'] === 0;
  if ((finishes || hasChanged('startTime')) && !isEmpty && !startTime) {
    report.required('status.startTime', 'startTime is required for finished job');
  }
  const uncounted = structOf(status['uncountedTerminatedPods']);
  const count = textsOf(uncounted?.['failed']).length + textsOf(uncounted?.['succeeded']).length;
  if ((finishes || hasChanged('uncountedTerminatedPods')) && count > 0) {
    report.invalid('status.uncountedTerminatedPods', uncounted, 'must be empty for finished job');
  }
}

function validateIndexes(report: FieldReport, { spec, status, isFinished }: JobState, old: JobState): void {
  const { completedIndexes, failedIndexes, ready, active = 0, terminating } = status;
  const completions = spec['completions'];
  const areNew = completedIndexes !== old.status['completedIndexes'];
  const areFailedNew = failedIndexes !== old.status['failedIndexes'];
  const most = Number(completions);
  const isRead = completions !== undefined;
  if (areNew && isRead) {
    const problem = indexProblem(textOf(completedIndexes), most);
    if (problem)
      report.invalid('status.completedIndexes', completedIndexes, `error parsing completedIndexes: ${problem}`);
  }
  const isPerIndex = spec['backoffLimitPerIndex'] !== undefined;
  if (areFailedNew && isRead && isPerIndex && failedIndexes !== undefined) {
    const problem = indexProblem(textOf(failedIndexes), most);
    if (problem) report.invalid('status.failedIndexes', failedIndexes, `error parsing failedIndexes: ${problem}`);
  }
  if (areNew && completedIndexes && spec['completionMode'] !== 'Indexed') {
    const rule = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    report.invalid('status.completedIndexes', completedIndexes, rule);
  }
  if (areFailedNew && failedIndexes !== undefined && !isPerIndex) {
    const rule = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    report.invalid('status.failedIndexes', failedIndexes, rule);
  }
  const hasEnded = isFinished !== old.isFinished;
  if ((hasEnded || terminating !== old.status['terminating']) && Number(terminating ?? 0) > 0 && isFinished) {
    report.invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job');
  }
  const areCountsNew = ready !== old.status['ready'] || active !== (old.status['active'] ?? 0);
  if (areCountsNew && ready !== undefined && Number(ready) > Number(active)) {
    report.invalid('status.ready', ready, 'cannot set more ready pods than active');
  }
}

function validateOutcome(report: FieldReport, { spec, isComplete, isFailed, isFailing, isSuccessful }: JobState): void {
  if (isSuccessful && isFailed) conditions(report, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (isSuccessful && isFailing)
    conditions(report, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (spec['successPolicy'] !== undefined && !isSuccessful && isComplete) {
    conditions(report, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
}

function validateProgress(report: FieldReport, { spec, status, isSuccessful }: JobState, old: JobState): void {
  for (const name of TERMINAL) {
    if (isTrue(old.status, name) && !isTrue(status, name)) {
      conditions(report, `cannot disable the terminal ${name}=True condition`);
    }
  }
  const isLess = (field: string): boolean => Number(status[field] ?? 0) < Number(old.status[field] ?? 0);
  if (isLess('failed')) report.invalid('status.failed', status['failed'] ?? 0, 'cannot decrease the failed counter');
  const isScaled = spec['completionMode'] === 'Indexed' && spec['completions'] === spec['parallelism'];
  if (!isScaled && isLess('succeeded')) {
    report.invalid('status.succeeded', status['succeeded'] ?? 0, 'cannot decrease the succeeded counter');
  }
  const { completionTime, startTime } = status;
  const before = old.status['completionTime'];
  if (completionTime && before && !jsonEqual(completionTime, before)) {
    report.invalid('status.completionTime', completionTime, 'field is immutable');
  }
  const isResuming = isTrue(old.status, 'Suspended') && isTrue(status, 'Suspended', 'False');
  const isStarted = old.status['startTime'] !== undefined && !isResuming && spec['suspend'] !== true;
  if (isStarted && startTime !== old.status['startTime']) {
    report.invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set');
  }
  if (old.isSuccessful && !isSuccessful) conditions(report, 'cannot disable the SuccessCriteriaMet=True condition');
  if (old.isComplete && !old.isSuccessful && isSuccessful) {
    conditions(report, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}

function conditions(report: FieldReport, rule: string): void {
  report.violated('status.conditions', rule);
}

function timeOf(time: unknown): number {
  return Date.parse(textOf(time));
}
