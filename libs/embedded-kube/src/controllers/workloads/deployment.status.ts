import type { KubeObject } from '../../resources/kube-object.js';
import {
  allOf,
  deploymentSpec,
  deploymentStatus,
  type DeploymentStatus,
  type ReplicaSets,
} from './deployment.types.js';
import { rollingLimits, stateOf, total } from './deployment.types.js';
import { withCondition, type WorkloadCondition } from './workload.pods.js';

/** The deadline in seconds, 2^31-1, that stands for none. */
const NO_DEADLINE = 2 ** 31 - 1;
const COMPLETE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';

/** A condition about the progress of a rollout. */
export interface DeploymentProgress {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Returns the deadline for progress in seconds; undefined if the deployment has none. */
function deadlineOf(deployment: KubeObject): number | undefined {
  const { progressDeadlineSeconds } = deploymentSpec(deployment);
  return progressDeadlineSeconds === NO_DEADLINE ? undefined : progressDeadlineSeconds;
}

/** Whether a rollout is done: all pods are of the current template and available. */
export function isComplete(deployment: KubeObject, status: DeploymentStatus): boolean {
  const { replicas } = deploymentSpec(deployment);
  const { updatedReplicas = 0, replicas: actual = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const isObserved = observedGeneration >= (deployment.metadata.generation ?? 0);
  return updatedReplicas === replicas && actual === replicas && availableReplicas === replicas && isObserved;
}

/** Returns the conditions with one about progress, unless the deployment has no deadline for it. */
export function withProgress(
  deployment: KubeObject,
  conditions: readonly WorkloadCondition[] | undefined,
  progress: DeploymentProgress,
  now: string,
): readonly WorkloadCondition[] | undefined {
  if (deadlineOf(deployment) === undefined) return conditions;
  return withCondition(conditions, { type: 'Progressing', ...progress, lastUpdateTime: now }, now);
}

/** Returns the progress of a deployment that was paused or resumed just now. */
export function pauseProgress(deployment: KubeObject): DeploymentProgress | undefined {
  const reason = progressOf(deploymentStatus(deployment).conditions)?.reason;
  const isPaused = deploymentSpec(deployment).paused === true;
  if (deadlineOf(deployment) === undefined) return undefined;
  if (reason === TIMED_OUT || isPaused === (reason === 'DeploymentPaused')) return undefined;
  return isPaused
    ? { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
}

/** Returns the status as the ReplicaSets are now; without conditions about progress. */
export function countedStatus(deployment: KubeObject, sets: ReplicaSets, now: string): DeploymentStatus {
  const spec = deploymentSpec(deployment);
  const all = allOf(sets);
  const available = total(all, ({ status }) => status.availableReplicas);
  const { conditions, collisionCount } = deploymentStatus(deployment);
  const isAvailable = available >= spec.replicas - rollingLimits(spec).maxUnavailable;
  const availability = isAvailable
    ? { status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const counts = {
    replicas: total(all, ({ status }) => status.replicas) || undefined,
    updatedReplicas: (sets.current && stateOf(sets.current).status.replicas) || undefined,
    readyReplicas: total(all, ({ status }) => status.readyReplicas) || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, total(all, (state) => state.spec.replicas) - available) || undefined,
    terminatingReplicas: total(all, ({ status }) => status.terminatingReplicas),
    collisionCount,
  };
  return {
    observedGeneration: deployment.metadata.generation,
    ...counts,
    conditions: withCondition(conditions, { type: 'Available', ...availability, lastUpdateTime: now }, now),
  };
}

/** Returns the status of a rollout: with conditions about its progress and its failures. */
export function rolloutStatus(deployment: KubeObject, sets: ReplicaSets, now: string): DeploymentStatus {
  const status = countedStatus(deployment, sets, now);
  const progress = currentProgress(deployment, sets, status, now);
  let conditions = status.conditions ?? [];
  if (deadlineOf(deployment) === undefined) conditions = conditions.filter(({ type }) => type !== 'Progressing');
  if (progress) {
    const before = progressOf(conditions);
    // What progresses on and on for the same reason is updated all the same: the deadline counts from there.
    const moved =
      progress.reason === 'ReplicaSetUpdated' && before?.reason === progress.reason && before.status === 'True';
    conditions = moved
      ? conditions.map((each) => (each === before ? { ...each, ...progress, lastUpdateTime: now } : each))
      : (withProgress(deployment, conditions, progress, now) ?? []);
  }
  const failure = [sets.current, ...sets.old]
    .flatMap((set) => (set && stateOf(set).status.conditions) ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  const { lastTransitionTime: _, ...replicaFailure } = { lastUpdateTime: now, ...failure };
  conditions = failure
    ? withCondition(conditions, replicaFailure as WorkloadCondition, now)
    : conditions.filter(({ type }) => type !== 'ReplicaFailure');
  return { ...status, conditions };
}

/** Returns the milliseconds until the progress of a rollout has to be checked; undefined if it is complete or has failed. */
export function untilDeadline(deployment: KubeObject, now: number): number | undefined {
  const status = deploymentStatus(deployment);
  const deadline = deadlineOf(deployment);
  const progress = progressOf(status.conditions);
  if (deadline === undefined || !progress || isComplete(deployment, status)) return undefined;
  if (progress.reason === TIMED_OUT || deploymentSpec(deployment).paused) return undefined;
  return Math.max(0, Date.parse(progress.lastUpdateTime ?? '') + deadline * 1000 - now) + 1000;
}

function progressOf(conditions: readonly WorkloadCondition[] | undefined): WorkloadCondition | undefined {
  return conditions?.find(({ type }) => type === 'Progressing');
}

function currentProgress(
  deployment: KubeObject,
  { current }: ReplicaSets,
  status: DeploymentStatus,
  now: string,
): DeploymentProgress | undefined {
  const progress = progressOf(status.conditions);
  const wasComplete = progress?.reason === COMPLETE && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (wasComplete) return undefined;
  const subject = current
    ? `ReplicaSet ${JSON.stringify(current.metadata.name)}`
    : `Deployment ${JSON.stringify(deployment.metadata.name)}`;
  if (isComplete(deployment, status)) {
    return { status: 'True', reason: COMPLETE, message: `${subject} has successfully progressed.` };
  }
  if (hasMoved(deploymentStatus(deployment), status)) {
    return { status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
  }
  const deadline = deadlineOf(deployment);
  if (deadline === undefined || !progress || progress.reason === COMPLETE) return undefined;
  if (Date.parse(now) < Date.parse(progress.lastUpdateTime ?? '') + deadline * 1000) return undefined;
  return { status: 'False', reason: TIMED_OUT, message: `${subject} has timed out progressing.` };
}

/** Compares two statuses: more updated, ready or available pods, or fewer old ones, are progress. */
function hasMoved(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const { updatedReplicas: updatedBefore = 0, replicas: replicasBefore = 0 } = before;
  const { updatedReplicas = 0, replicas = 0 } = after;
  return (
    updatedReplicas > updatedBefore ||
    replicas - updatedReplicas < replicasBefore - updatedBefore ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}
