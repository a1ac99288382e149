import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';
import { type PodTemplate, resolveAmount, type WorkloadCondition } from './workload.pods.js';

export const DEPLOYMENTS: ResourceId = { group: 'apps', plural: 'deployments' };
export const REPLICA_SET_RESOURCE: ResourceId = { group: 'apps', plural: 'replicasets' };

/** The annotations of ReplicaSets by which a deployment finds its revisions; `kubectl rollout` reads them. */
export const DEPLOYMENT_ANNOTATIONS = {
  revision: 'deployment.kubernetes.io/revision',
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const;

/** The spec of a deployment, with its defaults. */
export interface DeploymentSpec {
  readonly replicas: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly paused?: boolean;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly strategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
  };
}

/** The status of a deployment. */
export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The spec and the status of a ReplicaSet, as far as deployments look at them. */
export interface ReplicaSetState {
  readonly spec: { readonly replicas: number; readonly minReadySeconds?: number; readonly template?: PodTemplate };
  readonly status: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The ReplicaSets of a deployment: the one of its present template, if it is there, and the others. */
export interface ReplicaSets {
  readonly current: KubeObject | undefined;
  readonly old: readonly KubeObject[];
}

export function deploymentSpec({ spec }: KubeObject): DeploymentSpec {
  return { replicas: 1, ...(spec as Partial<DeploymentSpec>) };
}

export function deploymentStatus({ status }: KubeObject): DeploymentStatus {
  return (status ?? {}) as DeploymentStatus;
}

export function stateOf({ spec, status }: KubeObject): ReplicaSetState {
  return { spec: { replicas: 1, ...(spec as object) }, status: (status ?? {}) as ReplicaSetState['status'] };
}

/** Returns the sum of a number over ReplicaSets. */
export function total(sets: readonly KubeObject[], count: (state: ReplicaSetState) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (count(stateOf(set)) ?? 0), 0);
}

/** Returns all ReplicaSets of a deployment. */
export function allOf({ current, old }: ReplicaSets): KubeObject[] {
  return current ? [...old, current] : [...old];
}

/** Returns the limits of a rolling update in pods: if both came out as 0, one pod may be unavailable, so that it can proceed. */
export function rollingLimits({ replicas, strategy }: DeploymentSpec): { maxSurge: number; maxUnavailable: number } {
  if (strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {};
  const surge = resolveAmount(maxSurge, replicas, true);
  const unavailable = resolveAmount(maxUnavailable, replicas, false);
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

/** Returns the revision in the annotations: an integer of 64 bits, 0 for none. */
export function revisionOf({ metadata }: KubeObject): bigint {
  const revision = metadata.annotations?.[DEPLOYMENT_ANNOTATIONS.revision] ?? '';
  return /^\d{1,19}$/.test(revision) ? BigInt(revision) : 0n;
}
