import type { KubeObject } from '../resources/kube-object.js';

/** The parts of a job's spec that its controller follows. */
export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly backoffLimit?: number;
  readonly suspend?: boolean;
  readonly ttlSecondsAfterFinished?: number;
  readonly template?: { readonly metadata?: object; readonly spec?: object };
}

/** The parts of a job's status that its controller follows. */
export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime: string;
  }[];
}

/** Counts the pods of a job by their phases. */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
}

/** Names the way in which a job ended. */
export type JobOutcome = 'Complete' | 'Failed';

export function jobSpec(job: KubeObject): JobSpec {
  return (job.spec ?? {}) as JobSpec;
}

function jobStatus(job: KubeObject): JobStatus {
  return (job.status ?? {}) as JobStatus;
}

/** Tells when a job ended; undefined while it has not. */
export function finishedAt(job: KubeObject): string | undefined {
  const ends = (type: string): boolean => type === 'Complete' || type === 'Failed';
  return jobStatus(job).conditions?.find(({ type, status }) => ends(type) && status === 'True')?.lastTransitionTime;
}

/** The whole status of a job, as the real controller writes it. */
export function statusOfJob(job: KubeObject, counts: JobCounts, outcome: JobOutcome | undefined, now: string): object {
  const { startTime = now } = jobStatus(job);
  return {
    startTime,
    ...(outcome === 'Complete' && { completionTime: now }),
    ...(outcome && { conditions: outcomeConditions(outcome, now) }),
    active: counts.active || null,
    succeeded: counts.succeeded || null,
    failed: counts.failed || null,
    ready: counts.ready,
    terminating: counts.terminating,
    uncountedTerminatedPods: {},
  };
}

function outcomeConditions(outcome: JobOutcome, now: string): object[] {
  const [types, reason, message] =
    outcome === 'Complete'
      ? [['SuccessCriteriaMet', 'Complete'], 'CompletionsReached', 'Reached expected number of succeeded pods']
      : [['FailureTarget', 'Failed'], 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'];
  return types.map((type) => ({
    type,
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason,
    message,
  }));
}
