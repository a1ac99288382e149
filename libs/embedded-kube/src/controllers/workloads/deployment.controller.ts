import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ControlledObjects, specSelector } from '../controlled.objects.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { ignoringGone } from '../work.queue.js';
import { dispensableSets, isResized, newReplicaSet, nextRevision } from './deployment.revisions.js';
import { replicaSetAnnotations, sizeAnnotations, sortReplicaSets } from './deployment.revisions.js';
import { currentSize, resize, type Resizing, shrinkOld } from './deployment.scaling.js';
import { countedStatus, isComplete, pauseProgress, type DeploymentProgress } from './deployment.status.js';
import { rolloutStatus, untilDeadline, withProgress } from './deployment.status.js';
import { DEPLOYMENT_ANNOTATIONS, DEPLOYMENTS, deploymentSpec, deploymentStatus } from './deployment.types.js';
import { REPLICA_SET_RESOURCE, type ReplicaSets, revisionOf, stateOf } from './deployment.types.js';
import { messageOf, phaseOf, PODS } from './workload.pods.js';

const OWNERSHIP = {
  resource: REPLICA_SET_RESOURCE,
  owner: DEPLOYMENTS,
  ownerApiVersion: 'apps/v1',
  ownerKind: 'Deployment',
  selectorOf: specSelector,
};

/** The controller of rollouts: a ReplicaSet for each template, which grow and shrink step by step as the strategy says. */
export class DeploymentController extends ReconcilingController {
  readonly name = 'deployment-controller';
  private sets: ControlledObjects;

  constructor() {
    super(DEPLOYMENTS);
  }

  protected override watchOthers(): (() => void)[] {
    this.sets = new ControlledObjects(this.client, OWNERSHIP, (key) => this.queue.add(key));
    return [
      this.sets.start(),
      this.client.watch(PODS, ({ type, object }) => type === 'DELETED' && this.podGone(object)),
    ];
  }

  protected async reconcile(deployment: KubeObject, key: string): Promise<void> {
    if (!specSelector(deployment)) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.';
      await this.events.warning(deployment, 'SelectingAll', message);
      return;
    }
    const sets = sortReplicaSets(deployment, await this.sets.claim(deployment));
    const { paused, strategy } = deploymentSpec(deployment);
    const progress = pauseProgress(deployment);
    if (deployment.metadata.deletionTimestamp) await this.updateStatus(deployment, this.counted(deployment));
    else if (progress && (paused || this.isPausedStatus(deployment))) await this.writeProgress(deployment, progress);
    else if (paused || isResized(deployment, sets)) await this.follow(deployment, sets);
    else if (strategy?.type === 'Recreate') await this.recreate(deployment, sets);
    else await this.roll(deployment, sets);
    const current = this.client.get(DEPLOYMENTS, deployment.metadata.namespace, deployment.metadata.name ?? '');
    const wait = current && untilDeadline(current, this.clock.now());
    if (wait !== undefined) this.queue.addAfter(key, wait);
  }

  /** Continues a rollout under Recreate: the current ReplicaSet comes when the last old pod has gone. */
  private podGone(pod: KubeObject): void {
    const owner = pod.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'ReplicaSet');
    const set = owner && this.client.get(REPLICA_SET_RESOURCE, pod.metadata.namespace, owner.name);
    const deployment = set?.metadata.ownerReferences?.find(({ controller }) => controller);
    if (deployment?.kind === 'Deployment') this.queue.add(`${pod.metadata.namespace}/${deployment.name}`);
  }

  private isPausedStatus(deployment: KubeObject): boolean {
    const { conditions } = deploymentStatus(deployment);
    return conditions?.some(({ reason }) => reason === 'DeploymentPaused') ?? false;
  }

  private counted(deployment: KubeObject): object {
    return countedStatus(deployment, this.current(deployment), this.now);
  }

  /** Returns the ReplicaSets as they are now, after own writes. */
  private current(deployment: KubeObject): ReplicaSets {
    return sortReplicaSets(deployment, this.sets.of(deployment));
  }

  private async writeProgress(deployment: KubeObject, progress: DeploymentProgress): Promise<void> {
    const status = deploymentStatus(deployment);
    await this.updateStatus(deployment, {
      ...status,
      conditions: withProgress(deployment, status.conditions, progress, this.now),
    });
  }

  /** Follows a change of the size outside of a rollout's own steps, or while the rollout is paused. */
  private async follow(deployment: KubeObject, sets: ReplicaSets): Promise<void> {
    if (sets.current && !(await this.syncCurrent(deployment, sets))) return;
    await this.apply(deployment, resize(deployment, this.current(deployment)), true);
    if (deploymentSpec(deployment).paused) await this.cleanUp(deployment);
    await this.updateStatus(deployment, this.counted(deployment));
  }

  private async roll(deployment: KubeObject, sets: ReplicaSets): Promise<void> {
    if (!(await this.ensureCurrent(deployment, sets))) return;
    const now = this.current(deployment);
    const grown = now.current && { set: now.current, replicas: currentSize(deployment, now) };
    const isChanged = (grown && (await this.apply(deployment, [grown]))) || (await this.shrink(deployment));
    if (!isChanged && isComplete(deployment, deploymentStatus(deployment))) await this.cleanUp(deployment);
    await this.updateStatus(deployment, rolloutStatus(deployment, this.current(deployment), this.now));
  }

  private async shrink(deployment: KubeObject): Promise<boolean> {
    return this.apply(deployment, shrinkOld(deployment, this.current(deployment)));
  }

  private async recreate(deployment: KubeObject, sets: ReplicaSets): Promise<void> {
    if (sets.current && !(await this.syncCurrent(deployment, sets))) return;
    const emptied = sets.old.map((set) => ({ set, replicas: 0 }));
    const isShrunk = await this.apply(deployment, emptied);
    const isEmpty = !isShrunk && !this.hasOldPods(sets);
    if (isEmpty) {
      if (!(await this.ensureCurrent(deployment, sets))) return;
      const { current } = this.current(deployment);
      if (current) await this.apply(deployment, [{ set: current, replicas: deploymentSpec(deployment).replicas }]);
      if (isComplete(deployment, deploymentStatus(deployment))) await this.cleanUp(deployment);
    }
    await this.updateStatus(deployment, rolloutStatus(deployment, this.current(deployment), this.now));
  }

  private hasOldPods({ old }: ReplicaSets): boolean {
    const uids = new Set(old.map(({ metadata }) => metadata.uid));
    if (!uids.size) return false;
    return this.client.list(PODS, old[0].metadata.namespace).some((pod) => {
      const isOld = pod.metadata.ownerReferences?.some(({ controller, uid }) => controller && uids.has(uid));
      return isOld && !['Succeeded', 'Failed'].includes(phaseOf(pod));
    });
  }

  /** Creates the current ReplicaSet, or brings its annotations and the deployment's revision up to date; false to come back later. */
  private async ensureCurrent(deployment: KubeObject, sets: ReplicaSets): Promise<boolean> {
    if (sets.current) return this.syncCurrent(deployment, sets);
    const { namespace } = deployment.metadata;
    const replicas = currentSize(deployment, sets);
    const { name, object } = newReplicaSet(deployment, sets, replicas, this.sets.referenceTo(deployment));
    if (this.client.get(REPLICA_SET_RESOURCE, namespace, name)) {
      // Another template, or another owner, has the name: the next attempt takes another hash.
      const status = deploymentStatus(deployment);
      await this.updateStatus(deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
      return false;
    }
    try {
      await this.client.create(REPLICA_SET_RESOURCE, namespace, object);
    } catch (error) {
      const message = `Failed to create new replica set ${JSON.stringify(name)}: ${messageOf(error)}`;
      await this.writeProgress(deployment, { status: 'False', reason: 'ReplicaSetCreateError', message });
      await this.events.warning(deployment, 'ReplicaSetCreateError', message);
      throw error;
    }
    if (replicas > 0) {
      await this.events.normal(deployment, 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
    }
    const message = `Created new replica set ${JSON.stringify(name)}`;
    const progress = { status: 'True', reason: 'NewReplicaSetCreated', message };
    await this.setRevision(deployment, nextRevision(sets), progress);
    return false;
  }

  private async syncCurrent(deployment: KubeObject, sets: ReplicaSets): Promise<boolean> {
    const set = sets.current!;
    const { namespace, name = '', uid, annotations = {} } = set.metadata;
    const wanted = replicaSetAnnotations(deployment, set, nextRevision(sets));
    const { minReadySeconds = 0 } = deploymentSpec(deployment);
    if (!jsonEqual(annotations, wanted) || (stateOf(set).spec.minReadySeconds ?? 0) !== minReadySeconds) {
      const patch = { metadata: { uid, annotations: wanted }, spec: { minReadySeconds } };
      await ignoringGone(this.client.patch(REPLICA_SET_RESOURCE, namespace, name, patch));
      return false;
    }
    const hasProgress = deploymentStatus(deployment).conditions?.some(({ type }) => type === 'Progressing');
    const isKnown = revisionOf(deployment) === revisionOf(set);
    if (isKnown && (hasProgress || deploymentSpec(deployment).progressDeadlineSeconds === undefined)) return true;
    const message = `Found new replica set ${JSON.stringify(name)}`;
    const progress = hasProgress ? undefined : { status: 'True', reason: 'FoundNewReplicaSet', message };
    return !(await this.setRevision(deployment, revisionOf(set), progress));
  }

  /** Writes the revision, and the progress with it. @returns whether anything changed */
  private async setRevision(deployment: KubeObject, revision: bigint, progress?: DeploymentProgress): Promise<boolean> {
    const { metadata } = deployment;
    const annotations = { [DEPLOYMENT_ANNOTATIONS.revision]: String(revision) };
    const { conditions } = deploymentStatus(deployment);
    const next = progress ? withProgress(deployment, conditions, progress, this.now) : conditions;
    if (revisionOf(deployment) === revision && jsonEqual(conditions, next)) return false;
    const patch = { metadata: { uid: metadata.uid, annotations }, ...(next && { status: { conditions: next } }) };
    await ignoringGone(this.client.patch(DEPLOYMENTS, metadata.namespace, metadata.name ?? '', patch, 'status'));
    return true;
  }

  /** Sets the sizes of ReplicaSets. @returns whether one of them changed */
  private async apply(deployment: KubeObject, resizings: readonly Resizing[], annotates = false): Promise<boolean> {
    let isScaled = false;
    const annotations = sizeAnnotations(deployment);
    for (const { set, replicas } of resizings) {
      const before = stateOf(set).spec.replicas;
      const { namespace, name = '', uid } = set.metadata;
      const isAnnotated = Object.entries(annotations).every(
        ([key, value]) => set.metadata.annotations?.[key] === value,
      );
      if (before === replicas && (!annotates || isAnnotated)) continue;
      const patch = { metadata: { uid, annotations }, spec: { replicas } };
      await ignoringGone(this.client.patch(REPLICA_SET_RESOURCE, namespace, name, patch));
      if (before === replicas) continue;
      isScaled = true;
      const message = `Scaled ${before < replicas ? 'up' : 'down'} replica set ${name} from ${before} to ${replicas}`;
      await this.events.normal(deployment, 'ScalingReplicaSet', message);
    }
    return isScaled;
  }

  private async cleanUp(deployment: KubeObject): Promise<void> {
    for (const { metadata } of dispensableSets(deployment, this.current(deployment))) {
      const options = { preconditions: { uid: metadata.uid } };
      await ignoringGone(this.client.delete(REPLICA_SET_RESOURCE, metadata.namespace, metadata.name ?? '', options));
    }
  }
}
