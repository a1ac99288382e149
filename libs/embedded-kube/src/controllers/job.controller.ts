import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import type { KubeObject } from '../resources/kube-object.js';
import { timestamp } from '../common/timestamps.js';
import { finishedAt, type JobCounts, type JobOutcome, jobSpec, statusOfJob } from './job.statuses.js';
import { type PodCondition, statusOf } from './nodes/pod.statuses.js';
import { ignoringGone, WorkQueue, objectKey, splitKey } from './work.queue.js';

const JOBS: ResourceId = { group: 'batch', plural: 'jobs' };
const PODS: ResourceId = { group: '', plural: 'pods' };

/** Creates the pods of jobs, counts how they end, and says when a job is complete or has failed. */
export class JobController implements Controller {
  readonly name = 'job-controller';
  private readonly pods = new Map<string, Map<string, KubeObject>>();
  private readonly turns = new EventLoopTurns();
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void)[] = [];

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    const { client } = context;
    this.unwatch = [
      client.watch(JOBS, (event) => this.observeJob(event)),
      client.watch(PODS, (event) => this.observePod(event)),
    ];
    for (const object of client.list(PODS)) this.keep(object);
    for (const job of client.list(JOBS)) this.queue.add(objectKey(job));
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await this.queue?.stop();
  }

  private observeJob({ type, object }: ObjectEvent): void {
    if (type === 'DELETED') this.pods.delete(object.metadata.uid ?? '');
    else this.queue.add(objectKey(object));
  }

  private observePod({ type, object }: ObjectEvent): void {
    const owner = ownerOf(object);
    if (!owner) return;
    if (type === 'DELETED') this.drop(owner.uid, object.metadata.name ?? '');
    else this.keep(object);
    this.queue.add(`${object.metadata.namespace}/${owner.name}`);
  }

  private keep(pod: KubeObject): void {
    const owner = ownerOf(pod);
    if (!owner) return;
    const pods = this.pods.get(owner.uid);
    if (pods) pods.set(pod.metadata.name ?? '', pod);
    else this.pods.set(owner.uid, new Map([[pod.metadata.name ?? '', pod]]));
  }

  private drop(jobUid: string, name: string): void {
    const pods = this.pods.get(jobUid);
    pods?.delete(name);
    if (pods?.size === 0) this.pods.delete(jobUid);
  }

  private async process(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const job = this.context.client.get(JOBS, namespace, name);
    if (!job || job.metadata.deletionTimestamp) return;
    const finished = finishedAt(job);
    if (finished) {
      await this.expire(key, job, finished);
      return;
    }
    const { parallelism = 1, completions = 1, backoffLimit = 6, suspend } = jobSpec(job);
    if (suspend) return;
    const counts = this.count(job);
    const outcome: JobOutcome | undefined =
      counts.succeeded >= completions ? 'Complete' : counts.failed > backoffLimit ? 'Failed' : undefined;
    const missing = outcome ? 0 : Math.min(parallelism, completions - counts.succeeded) - counts.active;
    for (let index = 0; index < missing; index++) {
      await this.createPod(job);
      const pause = this.turns.step();
      if (pause) await pause;
    }
    if (outcome) await this.deleteActive(job);
    await this.report(job, missing > 0 ? this.count(job) : counts, outcome);
  }

  private count(job: KubeObject): JobCounts {
    const pods = [...(this.pods.get(job.metadata.uid ?? '')?.values() ?? [])];
    const inPhase = (...phases: string[]): KubeObject[] => pods.filter((pod) => phases.includes(phaseOf(pod)));
    const live = inPhase('Pending', 'Running');
    const active = live.filter(({ metadata }) => !metadata.deletionTimestamp);
    const isReady = ({ type, status }: PodCondition): boolean => type === 'Ready' && status === 'True';
    return {
      active: active.length,
      ready: active.filter((pod) => statusOf(pod).conditions?.some(isReady)).length,
      succeeded: inPhase('Succeeded').length,
      failed: inPhase('Failed').length,
      terminating: live.length - active.length,
    };
  }

  private async createPod(job: KubeObject): Promise<void> {
    const { name = '', namespace, uid = '' } = job.metadata;
    const template = jobSpec(job).template as { metadata?: { labels?: object }; spec?: object } | undefined;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true };
    const pod = await this.context.client.create(PODS, namespace, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template?.metadata,
        generateName: `${name}-`,
        labels: { ...template?.metadata?.labels, ...labels },
        ownerReferences: [owner],
      },
      spec: template?.spec,
    });
    this.keep(pod);
  }

  private async deleteActive(job: KubeObject): Promise<void> {
    for (const pod of this.pods.get(job.metadata.uid ?? '')?.values() ?? []) {
      const { name = '', namespace, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp || !['Pending', 'Running'].includes(phaseOf(pod))) continue;
      await ignoringGone(this.context.client.delete(PODS, namespace, name));
    }
  }

  private async report(job: KubeObject, counts: JobCounts, outcome: JobOutcome | undefined): Promise<void> {
    const { name = '', namespace, uid } = job.metadata;
    const status = statusOfJob(job, counts, outcome, timestamp(this.context.clock.now()));
    await ignoringGone(this.context.client.patch(JOBS, namespace, name, { metadata: { uid }, status }, 'status'));
  }

  private async expire(key: string, job: KubeObject, finished: string): Promise<void> {
    const { ttlSecondsAfterFinished } = jobSpec(job);
    if (ttlSecondsAfterFinished === undefined) return;
    const wait = Date.parse(finished) + ttlSecondsAfterFinished * 1000 - this.context.clock.now();
    const { name = '', namespace, uid } = job.metadata;
    if (wait > 0) this.queue.addAfter(key, wait);
    else await ignoringGone(this.context.client.delete(JOBS, namespace, name, { preconditions: { uid } }));
  }
}

function ownerOf(pod: KubeObject): { name: string; uid: string } | undefined {
  return pod.metadata.ownerReferences?.find(({ kind, controller }) => controller && kind === 'Job');
}

function phaseOf(pod: KubeObject): string {
  return statusOf(pod).phase ?? 'Pending';
}
