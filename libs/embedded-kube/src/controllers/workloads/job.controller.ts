import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ControlledObjects, specSelector } from '../controlled.objects.js';
import type { ObjectEvent, ResourceId } from '../controller.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { ignoringGone } from '../work.queue.js';
import { formatIndexes } from './job.indexes.js';
import { jobPod } from './job.pods.js';
import { successMessage } from './job.policies.js';
import {
  BACKOFF_EXCEEDED,
  COMPLETED,
  DEADLINE_EXCEEDED,
  finishedAt,
  isIndexed,
  type JobOutcome,
} from './job.statuses.js';
import { jobSpec, jobStatus, outcomeConditions, suspensionCondition } from './job.statuses.js';
import { type EndedPod, endOf, indexOf, type JobCounts, restartsOf, countsOf } from './job.counts.js';
import {
  deletePod,
  isActive,
  isReady,
  isTerminating,
  messageOf,
  PODS,
  type WorkloadCondition,
} from './workload.pods.js';

const JOBS: ResourceId = { group: 'batch', plural: 'jobs' };
const OWN_MANAGER = 'kubernetes.io/job-controller';

/** The controller that creates the pods of jobs, counts how they end, and writes whether a job is complete or has failed. */
export class JobController extends ReconcilingController {
  readonly name = 'job-controller';
  private pods: ControlledObjects;
  private readonly ended = new Map<string, Map<string, EndedPod>>();

  constructor() {
    super(JOBS);
  }

  protected override watchOthers(): (() => void)[] {
    const ownership = {
      resource: PODS,
      owner: JOBS,
      ownerApiVersion: 'batch/v1',
      ownerKind: 'Job',
      selectorOf: specSelector,
    };
    this.pods = new ControlledObjects(this.client, ownership, (key) => this.queue.add(key));
    return [this.client.watch(PODS, (event) => this.observePod(event)), this.pods.start()];
  }

  protected override observe(event: ObjectEvent): void {
    if (event.type === 'DELETED') this.ended.delete(event.object.metadata.uid ?? '');
    super.observe(event);
  }

  protected async reconcile(job: KubeObject, key: string): Promise<void> {
    const { managedBy = OWN_MANAGER, suspend } = jobSpec(job);
    if (job.metadata.deletionTimestamp || managedBy !== OWN_MANAGER) return;
    const finished = finishedAt(job);
    if (finished) {
      await this.expire(key, job, finished);
      return;
    }
    for (const pod of await this.pods.claim(job)) this.rememberEnd(job, pod, false);
    const counts = countsOf(job, this.ended.get(job.metadata.uid ?? '')?.values() ?? []);
    const outcome = this.outcomeOf(job, counts);
    let error: unknown;
    if (outcome || suspend) await this.deleteActive(job);
    else error = await this.fill(job, counts);
    await this.report(job, counts, outcome);
    const { startTime } = jobStatus(job);
    const { activeDeadlineSeconds } = jobSpec(job);
    if (activeDeadlineSeconds !== undefined && !outcome && !suspend) {
      const start = startTime ? Date.parse(startTime) : this.clock.now();
      this.queue.addAfter(key, Math.max(1, start + Number(activeDeadlineSeconds) * 1000 - this.clock.now()));
    }
    if (error) throw error;
  }

  /** Counts a pod that is gone, which cannot be counted later. */
  private observePod({ type, object }: ObjectEvent): void {
    const owner = object.metadata.ownerReferences?.find(({ kind, controller }) => controller && kind === 'Job');
    if (type !== 'DELETED' || !owner) return;
    const job = this.client.get(JOBS, object.metadata.namespace, owner.name);
    if (job?.metadata.uid === owner.uid && !finishedAt(job)) this.rememberEnd(job, object, true);
  }

  private rememberEnd(job: KubeObject, pod: KubeObject, isGone: boolean): void {
    // The pods of a suspended job are deleted without having failed.
    const isSuspended = jobSpec(job).suspend === true;
    const end = isSuspended && pod.metadata.deletionTimestamp ? undefined : endOf(job, pod, isGone);
    if (!end) return;
    const { uid = '' } = job.metadata;
    let ended = this.ended.get(uid);
    if (!ended) this.ended.set(uid, (ended = new Map()));
    ended.set(pod.metadata.uid ?? '', end);
  }

  private outcomeOf(job: KubeObject, counts: JobCounts): JobOutcome | undefined {
    const { completions, backoffLimit = 6, backoffLimitPerIndex, maxFailedIndexes } = jobSpec(job);
    const { activeDeadlineSeconds, suspend, successPolicy, template } = jobSpec(job);
    const active = this.pods.of(job).filter(isActive);
    if (counts.failure) return { type: 'Failed', reason: 'PodFailurePolicy', message: counts.failure };
    const restarts = template?.spec?.['restartPolicy'] === 'OnFailure' ? restartsOf(active) : 0;
    const limit = backoffLimitPerIndex === undefined ? backoffLimit : Infinity;
    if (counts.counted > limit || (restarts > 0 && restarts >= limit)) return BACKOFF_EXCEEDED;
    const { startTime } = jobStatus(job);
    const age = startTime ? this.clock.now() - Date.parse(startTime) : 0;
    if (!suspend && activeDeadlineSeconds !== undefined && age >= Number(activeDeadlineSeconds) * 1000)
      return DEADLINE_EXCEEDED;
    if (counts.failedIndexes.size > (maxFailedIndexes ?? Infinity)) {
      const message = 'Job has exceeded the specified maximal number of failed indexes';
      return { type: 'Failed', reason: 'MaxFailedIndexesExceeded', message };
    }
    const message = isIndexed(job) ? successMessage(successPolicy, counts.completed) : undefined;
    if (message) return { type: 'Complete', reason: 'SuccessPolicy', message };
    // Without a number of completions, one success is enough, once all others have ended.
    if (completions === undefined) return counts.succeeded > 0 && !active.length ? COMPLETED : undefined;
    if (counts.succeeded >= completions) return COMPLETED;
    if (counts.failedIndexes.size && counts.succeeded + counts.failedIndexes.size >= completions) {
      return { type: 'Failed', reason: 'FailedIndexes', message: 'Job has failed indexes' };
    }
    return undefined;
  }

  /** Creates as many pods as may run now, or deletes those that are too many. @returns the error of a creation */
  private async fill(job: KubeObject, counts: JobCounts): Promise<unknown> {
    const { parallelism = 1, completions, podReplacementPolicy, podFailurePolicy } = jobSpec(job);
    const pods = this.pods.of(job);
    const active = pods.filter(isActive);
    const waits = podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;
    const occupying = waits ? [...active, ...pods.filter(isTerminating)] : active;
    const left = completions === undefined ? (counts.succeeded ? 0 : parallelism) : completions - counts.succeeded;
    const wanted = Math.min(parallelism, left - (isIndexed(job) ? counts.failedIndexes.size : 0));
    for (const pod of active.slice(Math.max(0, wanted))) await this.deletePod(job, pod);
    const indexes = isIndexed(job) ? this.freeIndexes(job, counts, occupying) : undefined;
    try {
      for (let missing = wanted - occupying.length; missing > 0; missing--) {
        const index = indexes?.next();
        if (index?.done) break;
        await this.createPod(job, index?.value, counts);
        const pause = this.turns.step();
        if (pause) await pause;
      }
    } catch (error) {
      await this.events.warning(job, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      return error;
    }
    return undefined;
  }

  private *freeIndexes(
    job: KubeObject,
    counts: JobCounts,
    occupying: readonly KubeObject[],
  ): Generator<number, undefined> {
    const taken = [new Set(occupying.map(indexOf)), counts.completed, counts.failedIndexes];
    const { completions = 0 } = jobSpec(job);
    for (let index = 0; index < completions; index++) {
      if (!taken.some((indexes) => indexes.has(index))) yield index;
    }
  }

  private async createPod(job: KubeObject, index: number | undefined, counts: JobCounts): Promise<void> {
    const failures = index === undefined ? undefined : (counts.failures.get(index) ?? 0);
    const draft = jobPod(job, this.pods.referenceTo(job), index, failures);
    const pod = await this.client.create(PODS, job.metadata.namespace, draft);
    await this.events.normal(job, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  }

  private async deletePod(job: KubeObject, pod: KubeObject): Promise<void> {
    await deletePod(this.client, pod);
    await this.events.normal(job, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  private async deleteActive(job: KubeObject): Promise<void> {
    for (const pod of this.pods.of(job).filter(isActive)) await this.deletePod(job, pod);
  }

  private async report(job: KubeObject, counts: JobCounts, outcome: JobOutcome | undefined): Promise<void> {
    const { name = '', namespace, uid } = job.metadata;
    const { suspend = false, backoffLimitPerIndex } = jobSpec(job);
    const before = jobStatus(job);
    const pods = this.pods.of(job);
    const active = pods.filter(isActive);
    const conditions = this.conditions(job, outcome);
    const status = {
      startTime: suspend ? null : (before.startTime ?? this.now),
      ...(outcome?.type === 'Complete' && { completionTime: this.now }),
      ...(conditions && { conditions }),
      active: active.length || null,
      succeeded: counts.succeeded || null,
      failed: counts.failed || null,
      ready: active.filter(isReady).length,
      terminating: pods.filter(isTerminating).length,
      uncountedTerminatedPods: {},
      ...(isIndexed(job) && { completedIndexes: formatIndexes(counts.completed) || null }),
      ...(backoffLimitPerIndex !== undefined && { failedIndexes: formatIndexes(counts.failedIndexes) }),
    };
    await ignoringGone(this.client.patch(JOBS, namespace, name, { metadata: { uid }, status }, 'status'));
    const wasSuspended = isSuspended(before.conditions);
    if (!outcome && conditions && isSuspended(conditions) !== wasSuspended) {
      await this.events.normal(
        job,
        wasSuspended ? 'Resumed' : 'Suspended',
        `Job ${wasSuspended ? 'resumed' : 'suspended'}`,
      );
    }
    if (outcome?.type === 'Complete') await this.events.normal(job, 'Completed', 'Job completed');
    if (outcome?.type === 'Failed') await this.events.warning(job, outcome.reason, outcome.message);
  }

  /** Returns the conditions with what has changed; undefined if nothing has. */
  private conditions(job: KubeObject, outcome: JobOutcome | undefined): WorkloadCondition[] | undefined {
    const { conditions = [] } = jobStatus(job);
    if (outcome) return [...conditions, ...outcomeConditions(outcome, this.now)];
    const { suspend = false } = jobSpec(job);
    if (suspend === isSuspended(conditions)) return undefined;
    const next = [...conditions.filter(({ type }) => type !== 'Suspended'), suspensionCondition(suspend, this.now)];
    return jsonEqual(next, conditions) ? undefined : next;
  }

  private async expire(key: string, job: KubeObject, finished: string): Promise<void> {
    const { ttlSecondsAfterFinished } = jobSpec(job);
    if (ttlSecondsAfterFinished === undefined) return;
    const wait = Date.parse(finished) + ttlSecondsAfterFinished * 1000 - this.clock.now();
    const { name = '', namespace, uid } = job.metadata;
    if (wait > 0) this.queue.addAfter(key, wait);
    else
      await ignoringGone(
        this.client.delete(JOBS, namespace, name, { preconditions: { uid }, propagationPolicy: 'Foreground' }),
      );
  }
}

function isSuspended(conditions: readonly WorkloadCondition[] | undefined): boolean {
  return conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ?? false;
}
