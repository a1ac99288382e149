import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';
import { ControlledObjects, specSelector } from '../controlled.objects.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { type Revision, RevisionHistory } from './revision.history.js';
import { ClaimKeeper } from './statefulset.claims.js';
import { ordinalOf, revisionLabel, setSpec, statefulPod } from './statefulset.pods.js';
import { deletePod, isAvailable, isReady, messageOf, nextAvailability, phaseOf, PODS } from './workload.pods.js';
import { resolveAmount } from './workload.pods.js';

const STATEFUL_SETS: ResourceId = { group: 'apps', plural: 'statefulsets' };

interface StatefulSetStatus {
  readonly currentRevision?: string;
  readonly [field: string]: unknown;
}

/** The state of a set while it is reconciled. */
interface Replicas {
  readonly set: KubeObject;
  readonly current: Revision;
  readonly update: Revision;
  /** The ordinals that the set asks for: there can be more than fit into memory. */
  readonly ordinals: { readonly start: number; readonly end: number };
  readonly pods: ReadonlyMap<number, KubeObject>;
}

/**
 * The controller of pods with an identity each: created in order, deleted and updated in the reverse order, each after the others are
 * ready.
 */
export class StatefulSetController extends ReconcilingController {
  readonly name = 'statefulset-controller';
  private pods: ControlledObjects;
  private history: RevisionHistory;
  private claims: ClaimKeeper;

  constructor() {
    super(STATEFUL_SETS);
  }

  protected override watchOthers(): (() => void)[] {
    const changed = (key: string): void => this.queue.add(key);
    const owner = { resource: STATEFUL_SETS, kind: 'StatefulSet', hashLabel: 'controller.kubernetes.io/hash' };
    const ownership = {
      resource: PODS,
      owner: STATEFUL_SETS,
      ownerApiVersion: 'apps/v1',
      ownerKind: 'StatefulSet',
      selectorOf: specSelector,
    };
    this.pods = new ControlledObjects(this.client, ownership, changed);
    this.history = new RevisionHistory(this.client, owner, changed);
    this.claims = new ClaimKeeper(this.client, this.events);
    return [this.pods.start(), this.history.start()];
  }

  protected async reconcile(set: KubeObject, key: string): Promise<void> {
    const { deletionTimestamp } = set.metadata;
    const { minReadySeconds = 0 } = setSpec(set);
    const since = this.clock.now();
    const claimed = await this.pods.claim(set);
    if (deletionTimestamp) return;
    const update = await this.history.latest(set);
    const { currentRevision } = (set.status ?? {}) as StatefulSetStatus;
    const current = this.history.of(set).find(({ metadata }) => metadata.name === currentRevision) ?? update;
    const used = new Set([current.metadata.name, update.metadata.name, ...claimed.map(revisionLabel)]);
    try {
      await this.step(this.replicasOf(set, current, update));
    } finally {
      await this.report(this.replicasOf(set, current, update));
    }
    await this.history.truncate(set, setSpec(set).revisionHistoryLimit ?? 10, used);
    const wait = nextAvailability(this.pods.of(set), minReadySeconds, since);
    if (wait !== undefined) this.queue.addAfter(key, wait);
  }

  private replicasOf(set: KubeObject, current: Revision, update: Revision): Replicas {
    const { replicas = 1, ordinals } = setSpec(set);
    const start = ordinals?.start ?? 0;
    const pods = this.pods.of(set).flatMap((pod): [number, KubeObject][] => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined ? [] : [[ordinal, pod]];
    });
    return { set, current, update, ordinals: { start, end: start + replicas }, pods: new Map(pods) };
  }

  /** Does what can be done now; the change that follows triggers the next step. */
  private async step(replicas: Replicas): Promise<void> {
    if (!(await this.fill(replicas))) return;
    if (!(await this.shrink(replicas))) return;
    await this.update(replicas);
  }

  /** Creates missing pods and replaces ended ones; false if the order demands to wait. */
  private async fill({ set, current, update, ordinals, pods }: Replicas): Promise<boolean> {
    const isParallel = setSpec(set).podManagementPolicy === 'Parallel';
    for (let ordinal = ordinals.start; ordinal < ordinals.end; ordinal++) {
      const pod = pods.get(ordinal);
      await this.claims.keep(set, ordinal, pod, true);
      if (pod && !pod.metadata.deletionTimestamp && ['Failed', 'Succeeded'].includes(phaseOf(pod))) {
        const { namespace, name } = set.metadata;
        const message = `StatefulSet ${namespace}/${name} is recreating failed Pod ${pod.metadata.name}`;
        await this.events.warning(set, `Recreating${phaseOf(pod)}Pod`, message);
        await this.deletePod(set, pod);
        if (!isParallel) return false;
      } else if (!pod) {
        const { updateStrategy, ordinals: bounds } = setSpec(set);
        const start = bounds?.start ?? 0;
        const partition = updateStrategy?.type === 'OnDelete' ? 0 : (updateStrategy?.rollingUpdate?.partition ?? 0);
        await this.createPod(set, ordinal < start + partition ? current : update, ordinal);
        if (!isParallel) return false;
      } else if (!isParallel && !this.isHealthy(set, pod)) {
        return false;
      }
    }
    return true;
  }

  /** Deletes the pods beyond the wanted ones, the highest first; false if the order demands to wait. */
  private async shrink({ set, ordinals, pods }: Replicas): Promise<boolean> {
    const isParallel = setSpec(set).podManagementPolicy === 'Parallel';
    const isWanted = (ordinal: number): boolean => ordinal >= ordinals.start && ordinal < ordinals.end;
    const condemned = [...pods].filter(([ordinal]) => !isWanted(ordinal)).toSorted(([a], [b]) => b - a);
    for (const [ordinal, pod] of condemned) {
      await this.claims.keep(set, ordinal, pod, false);
      if (!pod.metadata.deletionTimestamp) await this.deletePod(set, pod);
      if (!isParallel) return false;
    }
    return true;
  }

  /** Deletes pods of earlier revisions, the highest first, as many at a time as may be unavailable. */
  private async update({ set, update, ordinals, pods }: Replicas): Promise<void> {
    const { updateStrategy, replicas = 1 } = setSpec(set);
    if (updateStrategy?.type === 'OnDelete') return;
    const { partition = 0, maxUnavailable } = updateStrategy?.rollingUpdate ?? {};
    const limit = Math.max(1, resolveAmount(maxUnavailable ?? 1, replicas, false));
    let unavailable = [...pods.values()].filter((pod) => !this.isHealthy(set, pod)).length;
    const first = ordinals.start + partition;
    const updated = [...pods].filter(([ordinal]) => ordinal >= first && ordinal < ordinals.end);
    for (const [, pod] of updated.toSorted(([a], [b]) => b - a)) {
      if (revisionLabel(pod) === update.metadata.name || pod.metadata.deletionTimestamp) continue;
      const isDown = !this.isHealthy(set, pod);
      if (!isDown && unavailable >= limit) return;
      await this.deletePod(set, pod);
      if (!isDown) unavailable += 1;
      if (unavailable >= limit) return;
    }
  }

  /** Whether a pod runs, is ready, has been for long enough, and stays. */
  private isHealthy(set: KubeObject, pod: KubeObject): boolean {
    const { minReadySeconds = 0 } = setSpec(set);
    return !pod.metadata.deletionTimestamp && isAvailable(pod, minReadySeconds, this.clock.now());
  }

  private async createPod(set: KubeObject, revision: Revision, ordinal: number): Promise<void> {
    const { name, namespace } = set.metadata;
    const pod = statefulPod(set, revision, ordinal, this.pods.referenceTo(set));
    const podName = `${name}-${ordinal}`;
    try {
      await this.client.create(PODS, namespace, pod);
    } catch (error) {
      const message = `Create Pod ${podName} in StatefulSet ${name} failed error: ${messageOf(error)}`;
      await this.events.warning(set, 'FailedCreate', message);
      throw error;
    }
    await this.events.normal(set, 'SuccessfulCreate', `Create Pod ${podName} in StatefulSet ${name} successful`);
  }

  private async deletePod(set: KubeObject, pod: KubeObject): Promise<void> {
    await deletePod(this.client, pod);
    const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    await this.events.normal(set, 'SuccessfulDelete', message);
  }

  private async report({ set, current, update, ordinals }: Replicas): Promise<void> {
    const { minReadySeconds = 0, updateStrategy } = setSpec(set);
    const pods = this.pods.of(set);
    const isOf = (revision: Revision) => (pod: KubeObject) =>
      revisionLabel(pod) === revision.metadata.name && !pod.metadata.deletionTimestamp;
    const readyReplicas = pods.filter((pod) => phaseOf(pod) === 'Running' && isReady(pod)).length;
    const updatedReplicas = pods.filter(isOf(update)).length;
    const wanted = ordinals.end - ordinals.start;
    const isDone =
      updateStrategy?.type !== 'OnDelete' &&
      updatedReplicas === pods.length &&
      readyReplicas === pods.length &&
      updatedReplicas === wanted;
    const currentRevision = (isDone ? update : current).metadata.name;
    const { conditions, collisionCount = 0 } = (set.status ?? {}) as StatefulSetStatus;
    await this.updateStatus(set, {
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      readyReplicas: readyReplicas || undefined,
      currentReplicas: (isDone ? updatedReplicas : pods.filter(isOf(current)).length) || undefined,
      updatedReplicas: updatedReplicas || undefined,
      currentRevision,
      updateRevision: update.metadata.name,
      collisionCount,
      conditions,
      availableReplicas: pods.filter((pod) => isAvailable(pod, minReadySeconds, this.clock.now())).length,
    });
  }
}
