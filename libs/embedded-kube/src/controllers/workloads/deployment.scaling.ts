import type { KubeObject } from '../../resources/kube-object.js';
import { allOf, DEPLOYMENT_ANNOTATIONS, deploymentSpec, type ReplicaSets } from './deployment.types.js';
import { rollingLimits, stateOf, total } from './deployment.types.js';

/** A new size of a ReplicaSet. */
export interface Resizing {
  readonly set: KubeObject;
  readonly replicas: number;
}

const replicasOf = (set: KubeObject): number => stateOf(set).spec.replicas;
const availableOf = (set: KubeObject): number => stateOf(set).status.availableReplicas ?? 0;

/** Returns the number of pods that the current ReplicaSet, or the one that is to be created, may have now. */
export function currentSize(deployment: KubeObject, sets: ReplicaSets): number {
  const spec = deploymentSpec(deployment);
  if (spec.strategy?.type === 'Recreate') return spec.replicas;
  const mine = sets.current ? replicasOf(sets.current) : 0;
  if (mine >= spec.replicas) return spec.replicas;
  const room = spec.replicas + rollingLimits(spec).maxSurge - total(allOf(sets), (state) => state.spec.replicas);
  return room <= 0 ? mine : mine + Math.min(room, spec.replicas - mine);
}

/** Returns the old ReplicaSets that may shrink now: first by their unhealthy pods, then as far as availability allows. */
export function shrinkOld(deployment: KubeObject, sets: ReplicaSets): Resizing[] {
  const spec = deploymentSpec(deployment);
  const minAvailable = spec.replicas - rollingLimits(spec).maxUnavailable;
  const all = allOf(sets);
  const pending = sets.current ? replicasOf(sets.current) - availableOf(sets.current) : 0;
  let room = total(all, (state) => state.spec.replicas) - minAvailable - pending;
  if (room <= 0) return [];
  const sizes = new Map(sets.old.map((set) => [set, replicasOf(set)]));
  for (const [set, size] of sizes) {
    const unhealthy = Math.min(room, Math.max(0, size - availableOf(set)));
    sizes.set(set, size - unhealthy);
    room -= unhealthy;
  }
  let spare = total(all, (state) => state.status.availableReplicas) - minAvailable;
  for (const [set, size] of sizes) {
    const healthy = Math.max(0, Math.min(size, spare));
    sizes.set(set, size - healthy);
    spare -= healthy;
  }
  return [...sizes].map(([set, replicas]) => ({ set, replicas }));
}

/**
 * Returns the sizes of ReplicaSets after the size of their deployment has changed, outside of a rollout's own steps: in proportion, so that
 * a rollout under way becomes neither faster nor riskier.
 */
export function resize(deployment: KubeObject, sets: ReplicaSets): Resizing[] {
  const spec = deploymentSpec(deployment);
  const active = allOf(sets).filter((set) => replicasOf(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? sets.current ?? sets.old.at(-1));
  if (only) return [{ set: only, replicas: spec.replicas }];
  const { current } = sets;
  const isSaturated = current && isSized(current, spec.replicas) && availableOf(current) === spec.replicas;
  if (isSaturated) return sets.old.map((set) => ({ set, replicas: 0 }));
  if (spec.strategy?.type === 'Recreate') return active.map((set) => ({ set, replicas: replicasOf(set) }));
  const allowed = spec.replicas > 0 ? spec.replicas + rollingLimits(spec).maxSurge : 0;
  return distribute(active, allowed - total(active, (state) => state.spec.replicas), allowed);
}

/** Whether a ReplicaSet was scaled to the size of its deployment. */
function isSized(set: KubeObject, replicas: number): boolean {
  const desired = set.metadata.annotations?.[DEPLOYMENT_ANNOTATIONS.desiredReplicas];
  return replicasOf(set) === replicas && desired === String(replicas);
}

function distribute(active: readonly KubeObject[], change: number, allowed: number): Resizing[] {
  // Those of the same size: the newer ones grow first, the older ones shrink first.
  const byAge = change > 0 ? active.toReversed() : active;
  const sorted = byAge.toSorted((left, right) => replicasOf(right) - replicasOf(left));
  let left = change;
  const resizings = sorted.map((set): { set: KubeObject; replicas: number } => {
    const share = left === 0 ? 0 : proportion(set, allowed);
    const part = change > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left);
    left -= part;
    return { set, replicas: replicasOf(set) + part };
  });
  if (resizings[0]) resizings[0].replicas = Math.max(0, resizings[0].replicas + left);
  return resizings;
}

/** Returns the pods that one ReplicaSet gains or loses if its deployment grows or shrinks. */
function proportion(set: KubeObject, allowed: number): number {
  const size = replicasOf(set);
  if (allowed === 0) return -size;
  const before = Number(set.metadata.annotations?.[DEPLOYMENT_ANNOTATIONS.maxReplicas]) || allowed;
  return Math.round((size * allowed) / before) - size;
}
