// workloads: what makes pods of templates and replaces them: ReplicaSets, Deployments, StatefulSets, DaemonSets, Jobs, CronJobs.
// The statuses, conditions and events are those of the real controller manager, which `kubectl rollout` reads.
// May import: the rest of controllers.

import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import { type PodCondition, statusOf } from '../nodes/pod.statuses.js';
import type { ControllerClient, ResourceId } from '../controller.js';
import { ignoringGone } from '../work.queue.js';

export const PODS: ResourceId = { group: '', plural: 'pods' };

/** The template of a workload's pods. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A condition of a workload. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export function phaseOf(pod: KubeObject): string {
  return statusOf(pod).phase ?? 'Pending';
}

/** Whether a pod counts for its workload: it has not ended and is not being deleted. */
export function isActive(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return phase !== 'Succeeded' && phase !== 'Failed' && !pod.metadata.deletionTimestamp;
}

export function isTerminating(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return phase !== 'Succeeded' && phase !== 'Failed' && !!pod.metadata.deletionTimestamp;
}

export function readyCondition(pod: KubeObject): PodCondition | undefined {
  return statusOf(pod).conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
}

export function isReady(pod: KubeObject): boolean {
  return readyCondition(pod) !== undefined;
}

/** Returns the milliseconds until a ready pod is available; 0 if it is, undefined if it is not ready. */
export function untilAvailable(pod: KubeObject, minReadySeconds: number, now: number): number | undefined {
  const ready = readyCondition(pod);
  if (!ready) return undefined;
  if (minReadySeconds <= 0) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - now);
}

export function isAvailable(pod: KubeObject, minReadySeconds: number, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

/**
 * Returns the shortest time in milliseconds until a ready pod becomes available; undefined if none is on its way.
 *
 * @param now when the pods were looked at: a pod that has become available since counts as on its way
 */
export function nextAvailability(
  pods: readonly KubeObject[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, now) ?? 0).filter((wait) => wait > 0);
  return waits.length ? Math.min(...waits) : undefined;
}

/** Makes a pod of a template, without a name. */
export function podOf(template: PodTemplate | undefined, owner: OwnerReference): PodDraft {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [owner],
    },
    spec: template?.spec ?? {},
  };
}

/** A pod that is being made. */
export interface PodDraft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Deletes a pod, unless another one has taken its name. */
export async function deletePod(client: ControllerClient, { metadata }: KubeObject): Promise<void> {
  const { namespace, name = '', uid } = metadata;
  await ignoringGone(client.delete(PODS, namespace, name, { preconditions: { uid } }));
}

/** Returns the conditions with one set: its transition time stays while its status does. */
export function withCondition(
  conditions: readonly WorkloadCondition[] | undefined,
  condition: Omit<WorkloadCondition, 'lastTransitionTime'>,
  now: string,
): WorkloadCondition[] {
  const before = conditions?.find(({ type }) => type === condition.type);
  if (before && before.status === condition.status && before.reason === condition.reason) return [...conditions!];
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const others = conditions?.filter(({ type }) => type !== condition.type) ?? [];
  return [...others, { ...condition, lastTransitionTime }];
}

/** Returns an amount of pods given as a number or as a share of a total: `'25%'`. */
export function resolveAmount(amount: unknown, total: number, roundUp: boolean): number {
  if (typeof amount !== 'string') return Number(amount ?? 0);
  const share = (Number.parseInt(amount, 10) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

/** Returns the message of an error as events carry it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
