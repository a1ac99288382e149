import { timestamp } from '../../common/timestamps.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from '../controller.js';
import { EventRecorder } from '../event.recorder.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from '../work.queue.js';
import {
  isUnschedulable,
  matchesNode,
  NodeLoad,
  type SchedulingSpec,
  shortages,
  untoleratedTaint,
} from './node.fitness.js';
import { scheduledConditions, statusOf, unschedulableConditions } from './pod.statuses.js';

const PODS: ResourceId = { group: '', plural: 'pods' };
const NODES: ResourceId = { group: '', plural: 'nodes' };
const MISMATCH = "node(s) didn't match Pod's node affinity/selector";

/** The controller that assigns pods to nodes as the real scheduler does: by selectors, affinities, taints, and what the nodes have left. */
export class PodScheduler implements Controller {
  readonly name = 'default-scheduler';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void)[] = [];
  private readonly loads = new Map<string, NodeLoad>();
  private readonly waiting = new Set<string>();
  private events: EventRecorder | undefined;

  /** @param postsEvents whether the scheduler posts events about where it assigns pods, and why it does not */
  constructor(private readonly postsEvents: boolean) {}

  start(context: ControllerContext): void {
    this.context = context;
    if (this.postsEvents) this.events = new EventRecorder(context.client, context.clock, this.name);
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    const { client } = context;
    this.unwatch = [
      client.watch(PODS, (event) => this.observePod(event)),
      client.watch(NODES, (event) => this.observeNode(event)),
    ];
    for (const object of client.list(PODS)) this.observePod({ type: 'ADDED', object });
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await this.queue?.stop();
  }

  private observePod({ type, object, previous }: Omit<ObjectEvent, 'resource'>): void {
    const key = objectKey(object);
    const { nodeName } = schedulingOf(object);
    const { phase } = statusOf(object);
    const isOver = type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed';
    if (nodeName) {
      if (!isOver) this.loadOf(nodeName).add(key, object);
      else this.loads.get(nodeName)?.remove(key);
    }
    if (isOver || nodeName) this.waiting.delete(key);
    else if (previous?.spec !== object.spec) this.queue.add(key);
    // What a pod leaves behind may be enough for another one.
    if (isOver) this.retryWaiting();
  }

  private observeNode({ type, object, previous }: ObjectEvent): void {
    if (type === 'DELETED') this.loads.delete(object.metadata.name ?? '');
    const isSame =
      previous &&
      previous.spec === object.spec &&
      previous.metadata.labels === object.metadata.labels &&
      previous.status === object.status;
    if (!isSame) this.retryWaiting();
  }

  private retryWaiting(): void {
    for (const key of this.waiting) this.queue.add(key);
  }

  private loadOf(nodeName: string): NodeLoad {
    let load = this.loads.get(nodeName);
    if (!load) this.loads.set(nodeName, (load = new NodeLoad()));
    return load;
  }

  private async process(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const pod = this.context.client.get(PODS, namespace, name);
    if (!pod || pod.metadata.deletionTimestamp || schedulingOf(pod).nodeName || isGated(pod)) return;
    const { schedulerName = this.name } = pod.spec as { schedulerName?: string };
    if (schedulerName !== this.name) return;
    const nodes = this.context.client.list(NODES);
    const problems = new Map<string, number>();
    const fitting = nodes.filter((node) => {
      const found = this.problemsOf(pod, node);
      for (const problem of found) problems.set(problem, (problems.get(problem) ?? 0) + 1);
      return found.length === 0;
    });
    if (!fitting.length) {
      this.waiting.add(key);
      await this.report(pod, nodes.length, problems);
      return;
    }
    const loadOf = ({ metadata }: KubeObject): number => this.loads.get(metadata.name ?? '')?.pods ?? 0;
    const node = fitting.reduce((best, each) => (loadOf(each) < loadOf(best) ? each : best));
    this.waiting.delete(key);
    await this.bind(pod, node.metadata.name ?? '');
  }

  private problemsOf(pod: KubeObject, node: KubeObject): string[] {
    if (isUnschedulable(node) && untoleratedTaint(pod, withTaint(node))) return ['node(s) were unschedulable'];
    const taint = untoleratedTaint(pod, node);
    if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`];
    if (!matchesNode(pod, node)) return [MISMATCH];
    return shortages(pod, node, this.loadOf(node.metadata.name ?? ''));
  }

  private async bind(pod: KubeObject, nodeName: string): Promise<void> {
    // The node comes last: with it, the status is the kubelet's.
    const conditions = scheduledConditions(statusOf(pod).conditions, timestamp(this.context.clock.now()));
    await this.patch(pod, { status: { conditions } }, 'status');
    await this.patch(pod, { spec: { nodeName } }, 'binding');
    const { namespace, name } = pod.metadata;
    await this.events?.normal(pod, 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
  }

  private async report(pod: KubeObject, nodes: number, problems: ReadonlyMap<string, number>): Promise<void> {
    const counts = [...problems].map(([problem, count]) => `${count} ${problem}`).toSorted();
    const message =
      nodes === 0
        ? 'no nodes available to schedule pods'
        : `0/${nodes} nodes are available: ${counts.join(', ')}. preemption: 0/${nodes} nodes are available: ` +
          `${nodes} Preemption is not helpful for scheduling.`;
    const now = timestamp(this.context.clock.now());
    const conditions = unschedulableConditions(statusOf(pod).conditions, message, now);
    await this.patch(pod, { status: { conditions } }, 'status');
    await this.events?.warning(pod, 'FailedScheduling', message);
  }

  private async patch({ metadata }: KubeObject, patch: object, subresource?: string): Promise<void> {
    const { namespace, name = '', uid } = metadata;
    const guarded = { ...patch, metadata: { uid } };
    await ignoringGone(this.context.client.patch(PODS, namespace, name, guarded, subresource));
  }
}

function schedulingOf({ spec }: KubeObject): SchedulingSpec {
  return (spec ?? {}) as SchedulingSpec;
}

/** Whether a pod is not to be scheduled yet. */
function isGated({ spec }: KubeObject): boolean {
  const { schedulingGates = [] } = (spec ?? {}) as { schedulingGates?: readonly unknown[] };
  return schedulingGates.length > 0;
}

/** Returns a cordoned node as the scheduler sees it: with the taint that daemons tolerate. */
function withTaint(node: KubeObject): KubeObject {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return { ...node, spec: { ...(node.spec as object), taints: [taint] } };
}
