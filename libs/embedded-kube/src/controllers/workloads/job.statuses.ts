import type { KubeObject } from '../../resources/kube-object.js';
import type { PodFailurePolicy, SuccessPolicy } from './job.policies.js';
import type { PodTemplate, WorkloadCondition } from './workload.pods.js';

/** The parts of a job's spec that its controller follows. */
export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly activeDeadlineSeconds?: number;
  readonly suspend?: boolean;
  readonly managedBy?: string;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly podReplacementPolicy?: string;
  readonly successPolicy?: SuccessPolicy;
  readonly ttlSecondsAfterFinished?: number;
  readonly template?: PodTemplate;
}

/** The parts of a job's status that its controller follows. */
export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The way in which a job ended, with the reason. */
export interface JobOutcome {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export const COMPLETED: JobOutcome = {
  type: 'Complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};
export const BACKOFF_EXCEEDED: JobOutcome = {
  type: 'Failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
export const DEADLINE_EXCEEDED: JobOutcome = {
  type: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

export function jobSpec(job: KubeObject): JobSpec {
  return (job.spec ?? {}) as JobSpec;
}

export function jobStatus(job: KubeObject): JobStatus {
  return (job.status ?? {}) as JobStatus;
}

export function isIndexed(job: KubeObject): boolean {
  return jobSpec(job).completionMode === 'Indexed';
}

/** Returns the condition of a job that has ended; undefined while it has not. */
export function finishedCondition(job: KubeObject): WorkloadCondition | undefined {
  const ends = (type: string): boolean => type === 'Complete' || type === 'Failed';
  return jobStatus(job).conditions?.find(({ type, status }) => ends(type) && status === 'True');
}

/** Returns the time when a job ended; undefined while it has not. */
export function finishedAt(job: KubeObject): string | undefined {
  return finishedCondition(job)?.lastTransitionTime;
}

/** Returns the conditions of a job that ends: the decision, and the end, which the real controller writes one after the other. */
export function outcomeConditions({ type, reason, message }: JobOutcome, now: string): WorkloadCondition[] {
  const types = type === 'Complete' ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed'];
  return types.map((each) => {
    const times = { lastProbeTime: now, lastTransitionTime: now };
    return { type: each, status: 'True', ...times, reason, message };
  });
}

/** Returns the condition of a job that was suspended or resumed. */
export function suspensionCondition(isSuspended: boolean, now: string): WorkloadCondition {
  const text = isSuspended
    ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const times = { lastProbeTime: now, lastTransitionTime: now };
  return { type: 'Suspended', ...text, ...times };
}
