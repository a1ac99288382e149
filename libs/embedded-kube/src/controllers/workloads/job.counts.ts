import type { KubeObject } from '../../resources/kube-object.js';
import { statusOf } from '../nodes/pod.statuses.js';
import { parseIndexes } from './job.indexes.js';
import { failureAction } from './job.policies.js';
import { isIndexed, jobSpec, jobStatus } from './job.statuses.js';
import { phaseOf } from './workload.pods.js';

export const INDEX_ANNOTATION = 'batch.kubernetes.io/job-completion-index';

/** The end of one pod, remembered when the pod itself is gone. */
export interface EndedPod {
  readonly succeeded: boolean;
  readonly index: number | undefined;
  /** The action of the job's failure policy, and its message. */
  readonly action: string;
  readonly message: string | undefined;
}

/** The numbers of pods of a job that have ended. */
export interface JobCounts {
  readonly succeeded: number;
  /** All failed pods, as the status shows them. */
  readonly failed: number;
  /** The failed pods that count against the job's limit: those that a rule ignores do not. */
  readonly counted: number;
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The failures of each index. */
  readonly failures: ReadonlyMap<number, number>;
  /** The message of a rule by which the job fails. */
  readonly failure: string | undefined;
}

/** Returns the end of a pod; undefined while it runs. A pod that is deleted before its end has failed. */
export function endOf(job: KubeObject, pod: KubeObject, isGone: boolean): EndedPod | undefined {
  const phase = phaseOf(pod);
  const index = indexOf(pod);
  if (phase === 'Succeeded') return { succeeded: true, index, action: 'Count', message: undefined };
  const { podFailurePolicy, podReplacementPolicy } = jobSpec(job);
  const onlyFailed = podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;
  const isDeleted = isGone || (!onlyFailed && pod.metadata.deletionTimestamp !== undefined);
  if (phase !== 'Failed' && !isDeleted) return undefined;
  const { action, message } = failureAction(podFailurePolicy, pod);
  return { succeeded: false, index, action, message };
}

export function indexOf({ metadata }: KubeObject): number | undefined {
  const index = metadata.annotations?.[INDEX_ANNOTATION];
  return index === undefined ? undefined : Number(index);
}

/** Sums up the ended pods; pods that were forgotten since stay counted in the status. */
export function countsOf(job: KubeObject, ended: Iterable<EndedPod>): JobCounts {
  const { backoffLimitPerIndex, completions = 1 } = jobSpec(job);
  const before = jobStatus(job);
  const completed = parseIndexes(before.completedIndexes);
  const failedIndexes = parseIndexes(before.failedIndexes);
  const failures = new Map<number, number>();
  let [succeeded, failed, ignored] = [0, 0, 0];
  let failure: string | undefined;
  for (const { succeeded: isSuccess, index, action, message } of ended) {
    if (isSuccess) {
      succeeded += 1;
      if (index !== undefined && index < completions) completed.add(index);
      continue;
    }
    failed += 1;
    if (action === 'FailJob') failure ??= message;
    if (action === 'Ignore') ignored += 1;
    else if (index !== undefined) failures.set(index, (failures.get(index) ?? 0) + 1);
    const isOver = action === 'FailIndex' || (failures.get(index ?? -1) ?? 0) > (backoffLimitPerIndex ?? Infinity);
    if (index !== undefined && backoffLimitPerIndex !== undefined && isOver) failedIndexes.add(index);
  }
  failed = Math.max(failed, before.failed ?? 0);
  for (const index of completed) failedIndexes.delete(index);
  return {
    succeeded: isIndexed(job) ? completed.size : Math.max(succeeded, before.succeeded ?? 0),
    failed,
    counted: failed - ignored,
    completed,
    failedIndexes,
    failures,
    failure,
  };
}

/** Returns the restarts of containers in the pods that run: with the policy OnFailure, they count against the job's limit. */
export function restartsOf(pods: readonly KubeObject[]): number {
  const counts = pods.flatMap((pod) => (statusOf(pod).containerStatuses ?? []).map(({ restartCount }) => restartCount));
  return counts.reduce((sum, count) => sum + count, 0);
}
