import { timestamp } from '../../common/timestamps.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';
import { ControlledObjects, specSelector } from '../controlled.objects.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { objectKey } from '../work.queue.js';
import { DAEMON_HASH_LABEL, daemonPod, daemonSpec, nodeOfDaemon, wantsNode } from './daemonset.pods.js';
import { type Revision, RevisionHistory } from './revision.history.js';
import { deletePod, isAvailable, isReady, messageOf, nextAvailability, phaseOf, PODS } from './workload.pods.js';
import { resolveAmount } from './workload.pods.js';

const DAEMON_SETS: ResourceId = { group: 'apps', plural: 'daemonsets' };
const NODES: ResourceId = { group: '', plural: 'nodes' };
/** The pause between the replacements of daemons that end again and again, in milliseconds. */
const REPLACEMENT_PAUSE = 1000;

/** The daemons of a set by their nodes, in the order of their creation. */
type Daemons = ReadonlyMap<string, readonly KubeObject[]>;

/** The controller of one pod on each node that the template allows; it replaces them step by step by those of a new template. */
export class DaemonSetController extends ReconcilingController {
  readonly name = 'daemonset-controller';
  private pods: ControlledObjects;
  private history: RevisionHistory;
  private readonly failed = new Map<string, number>();

  constructor() {
    super(DAEMON_SETS);
  }

  protected override watchOthers(): (() => void)[] {
    const changed = (key: string): void => this.queue.add(key);
    const owner = { resource: DAEMON_SETS, kind: 'DaemonSet', hashLabel: DAEMON_HASH_LABEL };
    const ownership = {
      resource: PODS,
      owner: DAEMON_SETS,
      ownerApiVersion: 'apps/v1',
      ownerKind: 'DaemonSet',
      selectorOf: specSelector,
    };
    this.pods = new ControlledObjects(this.client, ownership, changed);
    this.history = new RevisionHistory(this.client, owner, changed);
    const nodes = this.client.watch(NODES, ({ type, object, previous }) => {
      const isSame = previous && previous.spec === object.spec && previous.metadata.labels === object.metadata.labels;
      if (type !== 'MODIFIED' || !isSame)
        for (const set of this.client.list(DAEMON_SETS)) this.queue.add(objectKey(set));
    });
    return [this.pods.start(), this.history.start(), nodes];
  }

  protected async reconcile(set: KubeObject, key: string): Promise<void> {
    if (!specSelector(set)) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      await this.events.warning(set, 'SelectingAll', message);
      return;
    }
    await this.pods.claim(set);
    if (set.metadata.deletionTimestamp) return;
    const since = this.clock.now();
    const revision = await this.history.latest(set);
    try {
      await this.place(set, revision, key);
      await this.update(set, revision);
    } finally {
      await this.report(set, revision);
    }
    const { minReadySeconds = 0, revisionHistoryLimit = 10 } = daemonSpec(set);
    const hashes = new Set(this.pods.of(set).map(hashOf));
    const used = this.history.of(set).filter((each) => each === revision || hashes.has(hashOf(each)));
    await this.history.truncate(set, revisionHistoryLimit, new Set(used.map(({ metadata }) => metadata.name)));
    const wait = nextAvailability(this.pods.of(set), minReadySeconds, since);
    if (wait !== undefined) this.queue.addAfter(key, wait);
  }

  private daemons(set: KubeObject): Daemons {
    const byNode = new Map<string, KubeObject[]>();
    for (const pod of this.pods.of(set)) {
      const node = nodeOfDaemon(pod);
      byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
    return byNode;
  }

  /** Creates missing daemons, and deletes those that ended, are superfluous, or on nodes that are not for them. */
  private async place(set: KubeObject, revision: Revision, key: string): Promise<void> {
    const daemons = this.daemons(set);
    const nodes = this.client.list(NODES);
    for (const node of nodes) {
      const there = (daemons.get(node.metadata.name ?? '') ?? []).filter(({ metadata }) => !metadata.deletionTimestamp);
      const { runs, stays } = wantsNode(set, node);
      const ended = there.filter((pod) => phaseOf(pod) === 'Failed' || phaseOf(pod) === 'Succeeded');
      if (!stays) for (const pod of there) await deletePod(this.client, pod);
      else for (const pod of ended) await this.replaceEnded(set, pod, node, key);
      const surplus = this.hasSurge(set) ? [] : there.filter((pod) => !ended.includes(pod)).slice(1);
      if (stays) for (const pod of surplus) await this.deletePod(set, pod);
      const isEmpty = (daemons.get(node.metadata.name ?? '') ?? []).length === 0;
      if (runs && isEmpty) await this.createPod(set, revision, node.metadata.name ?? '');
    }
    const known = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const [node, pods] of daemons) {
      if (!known.has(node)) for (const pod of pods) await deletePod(this.client, pod);
    }
  }

  /** Deletes a daemon that ended, so that another one comes; with a pause, if that happens again and again. */
  private async replaceEnded(set: KubeObject, pod: KubeObject, node: KubeObject, key: string): Promise<void> {
    const place = `${set.metadata.uid}/${node.metadata.name}`;
    const now = this.clock.monotonic();
    const wait = (this.failed.get(place) ?? -REPLACEMENT_PAUSE) + REPLACEMENT_PAUSE - now;
    if (wait > 0) {
      this.queue.addAfter(key, wait);
      return;
    }
    this.failed.set(place, now);
    const subject = `${pod.metadata.namespace}/${pod.metadata.name} on node ${node.metadata.name}`;
    if (phaseOf(pod) === 'Failed') {
      await this.events.warning(set, 'FailedDaemonPod', `Found failed daemon pod ${subject}, will try to kill it`);
    } else {
      const message = `Found succeeded daemon pod ${subject}, will try to delete it`;
      await this.events.normal(set, 'SucceededDaemonPod', message);
    }
    await this.deletePod(set, pod);
  }

  private hasSurge(set: KubeObject): boolean {
    const { maxSurge = 0 } = daemonSpec(set).updateStrategy?.rollingUpdate ?? {};
    return maxSurge !== 0 && maxSurge !== '0%';
  }

  /** Replaces daemons of earlier templates, as many at a time as the strategy allows. */
  private async update(set: KubeObject, revision: Revision): Promise<void> {
    const { updateStrategy, minReadySeconds = 0 } = daemonSpec(set);
    if (updateStrategy?.type === 'OnDelete') return;
    const { maxUnavailable = 1, maxSurge = 0 } = updateStrategy?.rollingUpdate ?? {};
    const now = this.clock.now();
    const wanted = this.client.list(NODES).filter((node) => wantsNode(set, node).runs);
    const daemons = this.daemons(set);
    const surge = resolveAmount(maxSurge, wanted.length, true);
    let room = surge || resolveAmount(maxUnavailable, wanted.length, true);
    const old: [node: string, pod: KubeObject, isHealthy: boolean][] = [];
    for (const { metadata } of wanted) {
      const pods = (daemons.get(metadata.name ?? '') ?? []).filter((pod) => !pod.metadata.deletionTimestamp);
      const fresh = pods.find((pod) => hashOf(pod) === hashOf(revision));
      const stale = pods.find((pod) => hashOf(pod) !== hashOf(revision));
      const isHealthy = pods.some((pod) => isAvailable(pod, minReadySeconds, now));
      if (surge ? fresh && !isAvailable(fresh, minReadySeconds, now) : !isHealthy) room -= 1;
      if (!stale) continue;
      if (surge && fresh && isAvailable(fresh, minReadySeconds, now)) await this.deletePod(set, stale);
      else if (!fresh) old.push([metadata.name ?? '', stale, isHealthy]);
    }
    for (const [node, pod, isHealthy] of old) {
      if (surge) {
        if (room-- > 0) await this.createPod(set, revision, node);
      } else if (!isHealthy || room-- > 0) {
        await this.deletePod(set, pod);
      }
    }
  }

  private async createPod(set: KubeObject, revision: Revision, node: string): Promise<void> {
    const draft = daemonPod(set, hashOf(revision) ?? '', node, this.pods.referenceTo(set));
    try {
      const pod = await this.client.create(PODS, set.metadata.namespace, draft);
      await this.events.normal(set, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      await this.events.warning(set, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  private async deletePod(set: KubeObject, pod: KubeObject): Promise<void> {
    await deletePod(this.client, pod);
    await this.events.normal(set, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  private async report(set: KubeObject, revision: Revision): Promise<void> {
    const { minReadySeconds = 0 } = daemonSpec(set);
    const daemons = this.daemons(set);
    const counts = { current: 0, misscheduled: 0, desired: 0, ready: 0, updated: 0, available: 0 };
    const now = Date.parse(timestamp(this.clock.now()));
    for (const node of this.client.list(NODES)) {
      const [pod] = (daemons.get(node.metadata.name ?? '') ?? []).toSorted(
        (left, right) => Number(isReady(right)) - Number(isReady(left)),
      );
      if (!wantsNode(set, node).runs) {
        if (pod) counts.misscheduled += 1;
        continue;
      }
      counts.desired += 1;
      if (!pod) continue;
      counts.current += 1;
      if (isReady(pod)) counts.ready += 1;
      if (isAvailable(pod, minReadySeconds, now)) counts.available += 1;
      const isFresh = (each: KubeObject): boolean => hashOf(each) === hashOf(revision);
      if (daemons.get(node.metadata.name ?? '')?.some(isFresh)) counts.updated += 1;
    }
    const { collisionCount, conditions } = (set.status ?? {}) as { collisionCount?: number; conditions?: unknown };
    await this.updateStatus(set, {
      currentNumberScheduled: counts.current,
      numberMisscheduled: counts.misscheduled,
      desiredNumberScheduled: counts.desired,
      numberReady: counts.ready,
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: counts.updated || undefined,
      numberAvailable: counts.available || undefined,
      numberUnavailable: counts.desired - counts.available || undefined,
      collisionCount,
      conditions,
    });
  }
}

function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[DAEMON_HASH_LABEL];
}
