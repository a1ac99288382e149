import { type Backoff, backoffDelay } from '../../common/backoff.js';
import { timestamp } from '../../common/timestamps.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from '../controller.js';
import { type ContainerEnd, type ContainerStatus, crashedStatus, endedStatus, lastStateOf } from './pod.statuses.js';
import { readinessStatus, runningStatus, specOf, statusOf, waitingStatus } from './pod.statuses.js';
import { KubeletEvents } from './kubelet.events.js';
import { matchesPod, type PodMatch } from './pod.match.js';
import type { PodDirector, PodScript, SimulatedPods } from './simulated.pods.js';
import { simulatedNode } from './simulated.node.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from '../work.queue.js';

/** The annotations that control how the simulator ends a pod. */
export const SIMULATION_ANNOTATIONS = {
  /** The time after which the containers end, in seconds; without it, they run until the pod is deleted. */
  runSeconds: 'embedded-kube/run-seconds',
  /** The exit code of the containers. @default 0 */
  exitCode: 'embedded-kube/exit-code',
} as const;

/** The options of simulated pods. Times are in seconds. */
export interface PodSimulatorOptions {
  /** The time from creation to running. @default 0.1 */
  readonly startSeconds?: number;
  /** The time after which the pods of jobs end, unless they are annotated. @default 0.1 */
  readonly jobSeconds?: number;
  /** The time from the request to delete until a pod is gone; never more than its grace period. @default 0.1 */
  readonly stopSeconds?: number;
  /** The first node; it is created at the start. @default 'embedded-kube' */
  readonly nodeName?: string;
  /** The number of nodes; the further ones are called `embedded-kube-2` and so on. @default 1 */
  readonly nodes?: number;
  /**
   * Whether events about pods are posted as by the scheduler and the kubelet: `Scheduled`, `Pulled`, `Started`, and others.
   *
   * @default false
   */
  readonly events?: boolean;
}

const PODS: ResourceId = { group: '', plural: 'pods' };
const NODES: ResourceId = { group: '', plural: 'nodes' };
const HOST_IP = '10.244.0.1';
const SECOND = 1000;
/** The time between the restarts of a container, in seconds. */
const RESTARTS: Backoff = { first: 10, longest: 300 };

/**
 * A simulated kubelet of all nodes: pods that have a node run, end as their restart policy, their annotations, and their scripts say, and
 * are removed when they are deleted. Nothing is executed.
 *
 * @example metadata: { annotations: { 'embedded-kube/run-seconds': '5', 'embedded-kube/exit-code': '1' } }
 */
export class PodSimulator implements Controller, PodDirector {
  readonly name = 'pod-simulator';
  private readonly nodeName: string;
  private context: ControllerContext;
  private queue: WorkQueue;
  private events: KubeletEvents | undefined;
  private unwatch: () => void = () => undefined;
  private addresses = 1;
  /** When the deletion of a pod was requested, in milliseconds: its own timestamp has whole seconds only. */
  private readonly deletions = new Map<string, number>();

  constructor(
    private readonly options: PodSimulatorOptions,
    private readonly pods: SimulatedPods,
  ) {
    this.nodeName = options.nodeName ?? 'embedded-kube';
  }

  async start(context: ControllerContext): Promise<void> {
    this.context = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    if (this.options.events) this.events = new KubeletEvents(context.client, context.clock);
    const { nodes = 1 } = this.options;
    for (let number = 1; number <= nodes; number++) {
      const name = number === 1 ? this.nodeName : `${this.nodeName}-${number}`;
      if (context.client.get(NODES, undefined, name)) continue;
      const node = simulatedNode(name, `10.244.0.${number}`, timestamp(context.clock.now()));
      await context.client.create(NODES, undefined, node);
    }
    this.unwatch = context.client.watch(PODS, (event) => this.observe(event));
    for (const pod of context.client.list(PODS)) this.queue.add(objectKey(pod));
    this.pods.direct(this);
  }

  async stop(): Promise<void> {
    this.unwatch();
    await this.queue?.stop();
  }

  matching(match: PodMatch): readonly KubeObject[] {
    return this.context.client.list(PODS).filter((pod) => matchesPod(match, pod));
  }

  refresh(match: PodMatch): void {
    for (const pod of this.matching(match)) this.queue.add(objectKey(pod));
  }

  async end(pod: KubeObject, end: ContainerEnd): Promise<void> {
    const { restartPolicy = 'Always' } = specOf(pod);
    const restarts = statusOf(pod).containerStatuses?.[0]?.restartCount ?? 0;
    const isRestarted = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && end.exitCode !== 0);
    if (!isRestarted) await this.patchStatus(pod, endedStatus(pod, end, this.now()));
    else if (restarts === 0) await this.restart(pod, lastStateOf(pod, end, this.now()));
    else await this.crash(pod, end, backoffDelay(RESTARTS, restarts));
  }

  async evict(pod: KubeObject, reason: string, message: string | undefined): Promise<void> {
    const { containerStatuses: _, ...status } = {
      containerStatuses: undefined,
      ...endedStatus(pod, { exitCode: 1 }, this.now()),
    };
    await this.patchStatus(pod, { ...status, reason, ...(message && { message }) });
  }

  private observe({ type, object, previous }: ObjectEvent): void {
    if (type === 'DELETED' || hasEnded(object, previous)) this.pods.logs.end(object);
    if (previous && restartsOf(object) !== restartsOf(previous)) this.pods.logs.restart(object);
    if (type === 'DELETED') {
      this.pods.logs.forget(object);
      this.deletions.delete(objectKey(object));
      return;
    }
    const before = previous && statusOf(previous).phase;
    const { deletionTimestamp, annotations } = object.metadata;
    const isDeleted = deletionTimestamp !== previous?.metadata.deletionTimestamp;
    if (isDeleted && deletionTimestamp) this.deletions.set(objectKey(object), this.context.clock.now());
    const isAnnotated = annotations !== previous?.metadata.annotations;
    const isAssigned = specOf(object).nodeName !== (previous && specOf(previous).nodeName);
    if (type === 'ADDED' || isDeleted || isAnnotated || isAssigned || statusOf(object).phase !== before) {
      this.queue.add(objectKey(object));
    }
  }

  private async process(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const pod = this.context.client.get(PODS, namespace, name);
    if (!pod) return;
    const script = this.pods.scriptOf(pod);
    const { phase } = statusOf(pod);
    if (pod.metadata.deletionTimestamp) await this.terminate(key, pod, script);
    else if (!specOf(pod).nodeName) return;
    else if (phase === undefined || phase === 'Pending') await this.begin(key, pod, script);
    else if (phase === 'Running') await this.run(key, pod, script);
  }

  private async begin(key: string, pod: KubeObject, { startSeconds, waiting, ready }: PodScript): Promise<void> {
    const created = Date.parse(pod.metadata.creationTimestamp ?? this.now());
    const wait = this.untilDue(created, startSeconds ?? this.options.startSeconds ?? 0.1);
    if (wait > 0) {
      this.queue.addAfter(key, wait);
    } else if (waiting) {
      if (statusOf(pod).containerStatuses?.[0]?.state.waiting?.reason === waiting.reason) return;
      await this.patchStatus(pod, waitingStatus(pod, waiting, this.now()));
      await this.events?.waiting(pod, waiting);
    } else {
      await this.patchStatus(pod, runningStatus(pod, this.nextAddress(), 0, this.now()));
      await this.events?.started(pod);
      if (ready === false) this.queue.add(key);
    }
  }

  private async run(key: string, pod: KubeObject, script: PodScript): Promise<void> {
    const seconds = this.runSeconds(pod, script);
    const [container] = statusOf(pod).containerStatuses ?? [];
    if (!container) return;
    const { running, waiting } = container.state;
    if (waiting?.reason === 'CrashLoopBackOff') {
      await this.resume(key, pod, container);
    } else if (running && container.ready === (script.ready === false)) {
      await this.patchStatus(pod, readinessStatus(pod, script.ready !== false, this.now()));
    }
    if (seconds === undefined || !running) return;
    const restarts = container.restartCount;
    const wait = this.untilDue(Date.parse(running.startedAt), seconds + backoffDelay(RESTARTS, restarts));
    if (wait > 0) {
      this.queue.addAfter(key, wait);
      return;
    }
    const { reason, message } = script;
    const exitCode = script.exitCode ?? Number(pod.metadata.annotations?.[SIMULATION_ANNOTATIONS.exitCode] ?? 0);
    const end = { exitCode, ...(reason && { reason }), ...(message && { message }) };
    const { restartPolicy = 'Always' } = specOf(pod);
    if (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)) {
      await this.restart(pod, lastStateOf(pod, end, this.now()));
      this.queue.add(key);
    } else {
      await this.patchStatus(pod, endedStatus(pod, end, this.now()));
    }
  }

  private async restart(pod: KubeObject, lastState: object): Promise<void> {
    const { podIP = this.nextAddress().podIP, containerStatuses } = statusOf(pod);
    const restarts = (containerStatuses?.[0]?.restartCount ?? 0) + 1;
    const status = runningStatus(pod, { podIP, hostIP: HOST_IP }, restarts, this.now(), lastState);
    await this.patchStatus(pod, status);
    await this.events?.started(pod);
  }

  /** Stops a pod's containers for a while, as they have failed again and again. */
  private async crash(pod: KubeObject, end: ContainerEnd, pause: number): Promise<void> {
    await this.patchStatus(pod, crashedStatus(pod, end, pause, this.now()));
    await this.events?.backedOff(pod);
    this.queue.add(objectKey(pod));
  }

  /** Restarts a container after its pause. */
  private async resume(key: string, pod: KubeObject, { restartCount, lastState }: ContainerStatus): Promise<void> {
    const finished = Date.parse(lastState?.terminated?.finishedAt ?? '');
    const wait = this.untilDue(finished, backoffDelay(RESTARTS, restartCount));
    if (wait > 0) this.queue.addAfter(key, wait);
    else await this.restart(pod, lastState ?? {});
  }

  private async terminate(key: string, pod: KubeObject, { stopSeconds }: PodScript): Promise<void> {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, namespace, name = '', uid } = pod.metadata;
    const asked = this.deletions.get(key) ?? Date.parse(deletionTimestamp!) - deletionGracePeriodSeconds * SECOND;
    const seconds = stopSeconds ?? this.options.stopSeconds ?? 0.1;
    const wait = this.untilDue(asked, Math.min(seconds, deletionGracePeriodSeconds));
    if (wait > 0) {
      this.queue.addAfter(key, wait);
      return;
    }
    const { phase } = statusOf(pod);
    if (phase === 'Running') {
      await this.events?.killed(pod);
      await this.patchStatus(pod, endedStatus(pod, { exitCode: 0 }, this.now()));
    }
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await ignoringGone(this.context.client.delete(PODS, namespace, name, options));
  }

  private runSeconds({ metadata }: KubeObject, script: PodScript): number | undefined {
    if (script.runSeconds !== undefined) return script.runSeconds;
    const annotated = Number(metadata.annotations?.[SIMULATION_ANNOTATIONS.runSeconds]);
    // Text that is no number would restart the containers without an end.
    if (Number.isFinite(annotated)) return annotated;
    if (metadata.annotations?.[SIMULATION_ANNOTATIONS.runSeconds] !== undefined) return undefined;
    const isOfJob = metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'Job');
    return isOfJob ? (this.options.jobSeconds ?? 0.1) : undefined;
  }

  private nextAddress(): { podIP: string; hostIP: string } {
    this.addresses = this.addresses >= 65_000 ? 2 : this.addresses + 1;
    return { podIP: `10.244.${Math.floor(this.addresses / 250)}.${(this.addresses % 250) + 2}`, hostIP: HOST_IP };
  }

  private untilDue(from: number, seconds: number): number {
    return Number.isNaN(from) ? 0 : from + seconds * SECOND - this.context.clock.now();
  }

  private now(): string {
    return timestamp(this.context.clock.now());
  }

  private async patchStatus(pod: KubeObject, status: object): Promise<void> {
    await this.patch(pod, { status }, 'status');
  }

  private async patch({ metadata }: KubeObject, patch: object, subresource?: string): Promise<void> {
    const { namespace, name = '', uid } = metadata;
    const guarded = { ...patch, metadata: { uid } };
    await ignoringGone(this.context.client.patch(PODS, namespace, name, guarded, subresource));
  }
}

/** Checks whether a run of the containers has ended, of which something could be printed. */
function hasEnded(pod: KubeObject, previous: KubeObject | undefined): boolean {
  const { phase } = statusOf(pod);
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  return previous !== undefined && (restartsOf(pod) !== restartsOf(previous) || !isRunning(pod));
}

function isRunning(pod: KubeObject): boolean {
  return statusOf(pod).containerStatuses?.[0]?.state.running !== undefined;
}

function restartsOf(pod: KubeObject): number {
  return statusOf(pod).containerStatuses?.[0]?.restartCount ?? 0;
}
