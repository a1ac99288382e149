import { jsonEqual } from '../../common/json.values.js';
import { timestamp } from '../../common/timestamps.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ControlledObjects } from '../controlled.objects.js';
import type { ResourceId } from '../controller.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { ignoringGone } from '../work.queue.js';
import { type CronSchedule, parseSchedule } from './cron.schedule.js';
import { byCreation } from './deployment.revisions.js';
import { finishedCondition, jobStatus } from './job.statuses.js';
import { messageOf, type PodTemplate } from './workload.pods.js';

const CRON_JOBS: ResourceId = { group: 'batch', plural: 'cronjobs' };
const JOBS: ResourceId = { group: 'batch', plural: 'jobs' };
const SCHEDULED_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** The number of missed times beyond which the controller stops counting. */
const MISSED_LIMIT = 100;

interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy?: string;
  readonly suspend?: boolean;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate?: { readonly metadata?: PodTemplate['metadata']; readonly spec?: object };
}

interface CronJobStatus {
  readonly active?: readonly { readonly name: string; readonly uid: string }[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

/** The controller that creates jobs at the times of their schedules, and deletes old ones. */
export class CronJobController extends ReconcilingController {
  readonly name = 'cronjob-controller';
  private jobs: ControlledObjects;

  constructor() {
    super(CRON_JOBS);
  }

  protected override watchOthers(): (() => void)[] {
    const ownership = {
      resource: JOBS,
      owner: CRON_JOBS,
      ownerApiVersion: 'batch/v1',
      ownerKind: 'CronJob',
      selectorOf: () => undefined,
    };
    this.jobs = new ControlledObjects(this.client, ownership, (key) => this.queue.add(key));
    return [this.jobs.start()];
  }

  protected async reconcile(cronJob: KubeObject, key: string): Promise<void> {
    if (cronJob.metadata.deletionTimestamp) return;
    await this.noteFinished(cronJob);
    await this.cleanUp(cronJob);
    const { schedule, timeZone, suspend } = specOf(cronJob);
    let times: CronSchedule;
    try {
      times = parseSchedule(schedule, timeZone);
    } catch (error) {
      const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${messageOf(error)}`;
      await this.events.warning(cronJob, 'UnparseableSchedule', message);
      return;
    }
    let { lastScheduleTime } = statusOf(cronJob);
    if (!suspend) lastScheduleTime = (await this.startDue(cronJob, times)) ?? lastScheduleTime;
    await this.report(cronJob, lastScheduleTime);
    const next = times.next(this.clock.now());
    if (next !== undefined && !suspend) this.queue.addAfter(key, Math.max(1, next - this.clock.now()));
  }

  /** Starts the job of the latest time that has passed. @returns that time, if the job was started */
  private async startDue(cronJob: KubeObject, times: CronSchedule): Promise<string | undefined> {
    const { startingDeadlineSeconds, concurrencyPolicy = 'Allow' } = specOf(cronJob);
    const due = await this.dueTime(cronJob, times);
    if (due === undefined) return undefined;
    if (startingDeadlineSeconds !== undefined && due + Number(startingDeadlineSeconds) * 1000 < this.clock.now()) {
      const message = `Missed scheduled time to start a job: ${new Date(due).toUTCString().replace('GMT', '+0000')}`;
      await this.events.warning(cronJob, 'MissSchedule', message);
      return undefined;
    }
    const active = this.active(cronJob);
    if (active.length && concurrencyPolicy === 'Forbid') {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      await this.events.normal(cronJob, 'JobAlreadyActive', message);
      return undefined;
    }
    if (concurrencyPolicy === 'Replace') for (const job of active) await this.deleteJob(cronJob, job);
    return (await this.create(cronJob, due)) ? timestamp(due) : undefined;
  }

  /** Returns the latest time that has passed since the last start, or since the creation. */
  private async dueTime(cronJob: KubeObject, times: CronSchedule): Promise<number | undefined> {
    const { startingDeadlineSeconds } = specOf(cronJob);
    const now = this.clock.now();
    const { lastScheduleTime } = statusOf(cronJob);
    let earliest = Date.parse(lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '');
    if (startingDeadlineSeconds !== undefined)
      earliest = Math.max(earliest, now - Number(startingDeadlineSeconds) * 1000);
    let due: number | undefined;
    let missed = 0;
    for (let time = times.next(earliest); time !== undefined && time <= now; time = times.next(time)) {
      due = time;
      missed += 1;
      if (missed === MISSED_LIMIT + 1) {
        const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
        await this.events.warning(cronJob, 'TooManyMissedTimes', `too many missed start times. ${advice}`);
        // A schedule of years is not walked through second by second.
        const next = times.next(now);
        return next === undefined ? time : latestBefore(times, now, next);
      }
    }
    return due;
  }

  private async create(cronJob: KubeObject, due: number): Promise<boolean> {
    const { name = '', namespace } = cronJob.metadata;
    const { jobTemplate } = specOf(cronJob);
    const jobName = `${name}-${Math.floor(due / 60_000)}`;
    if (this.client.get(JOBS, namespace, jobName)) return true;
    const { labels, annotations } = jobTemplate?.metadata ?? {};
    const metadata = {
      name: jobName,
      ...(labels && { labels }),
      annotations: { ...annotations, [SCHEDULED_ANNOTATION]: timestamp(due) },
      ownerReferences: [this.jobs.referenceTo(cronJob)],
    };
    try {
      await this.client.create(JOBS, namespace, { metadata, spec: jobTemplate?.spec });
    } catch (error) {
      await this.events.warning(cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
      throw error;
    }
    await this.events.normal(cronJob, 'SuccessfulCreate', `Created job ${jobName}`);
    return true;
  }

  private active(cronJob: KubeObject): KubeObject[] {
    return this.jobs.of(cronJob).filter((job) => !finishedCondition(job) && !job.metadata.deletionTimestamp);
  }

  private async noteFinished(cronJob: KubeObject): Promise<void> {
    for (const { name, uid } of statusOf(cronJob).active ?? []) {
      const job = this.jobs.of(cronJob).find(({ metadata }) => metadata.uid === uid);
      const condition = job && finishedCondition(job);
      if (condition) {
        const message = `Saw completed job: ${name}, condition: ${condition.type}`;
        await this.events.normal(cronJob, 'SawCompletedJob', message);
      } else if (!job) {
        await this.events.normal(cronJob, 'MissingJob', `Active job went missing: ${name}`);
      }
    }
  }

  private async cleanUp(cronJob: KubeObject): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = specOf(cronJob);
    const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
    for (const [type, limit] of Object.entries(limits)) {
      const ended = this.jobs.of(cronJob).filter((job) => finishedCondition(job)?.type === type);
      const old = ended.toSorted(byCreation).slice(0, Math.max(0, ended.length - limit));
      for (const job of old) if (!job.metadata.deletionTimestamp) await this.deleteJob(cronJob, job);
    }
  }

  private async deleteJob(cronJob: KubeObject, { metadata }: KubeObject): Promise<void> {
    const options = { preconditions: { uid: metadata.uid }, propagationPolicy: 'Background' as const };
    await ignoringGone(this.client.delete(JOBS, metadata.namespace, metadata.name ?? '', options));
    await this.events.normal(cronJob, 'SuccessfulDelete', `Deleted job ${metadata.name}`);
  }

  private async report(cronJob: KubeObject, lastScheduleTime: string | undefined): Promise<void> {
    const before = statusOf(cronJob);
    const completions = this.jobs.of(cronJob).flatMap((job) => jobStatus(job).completionTime ?? []);
    const lastSuccessfulTime = [before.lastSuccessfulTime ?? '', ...completions].toSorted().at(-1);
    const active = this.active(cronJob).map(({ metadata: { name, namespace, uid, resourceVersion } }) => {
      return { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
    });
    // The references keep the version of the job as it was when it started.
    const known = new Map(before.active?.map((reference) => [reference.uid, reference]));
    const next = {
      ...(active.length && { active: active.map((each) => known.get(each.uid ?? '') ?? each) }),
      ...(lastScheduleTime && { lastScheduleTime }),
      ...(lastSuccessfulTime && { lastSuccessfulTime }),
    };
    if (!jsonEqual(before, next)) await this.updateStatus(cronJob, next);
  }
}

function specOf({ spec }: KubeObject): CronJobSpec {
  return (spec ?? {}) as CronJobSpec;
}

function statusOf({ status }: KubeObject): CronJobStatus {
  return (status ?? {}) as CronJobStatus;
}

/** Returns the latest time before now, found from the distance to the next one. */
function latestBefore(times: CronSchedule, now: number, next: number): number {
  const gap = (times.next(next) ?? next) - next;
  let latest = now;
  for (let time = times.next(now - 2 * gap - 1); time !== undefined && time <= now; time = times.next(time))
    latest = time;
  return latest;
}
