import type { KubeObject } from 'nestjs-kopf';
import type { ClaimSpec, ClaimUsage } from './claim.js';

const FINISHED = ['Succeeded', 'Failed'];

/** Checks whether the claim selects the pod. */
export function isSelected(spec: ClaimSpec, pod: KubeObject): boolean {
  const labels = Object.entries(spec.podSelector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([name, value]) => pod.metadata.labels?.[name] === value);
}

/**
 * Decides how a claim is used.
 *
 * @param age seconds since the claim was created.
 * @param pods the present pods that the claim is for.
 * @param usedBefore whether it was found to be used before, by pods that may be gone.
 */
export function decideUsage(
  spec: ClaimSpec,
  age: number,
  pods: readonly KubeObject<unknown, { phase?: string }>[],
  usedBefore: boolean,
): ClaimUsage {
  const phases = pods.map(({ status }) => status?.phase ?? 'Pending');
  const used = usedBefore || phases.some((phase) => phase !== 'Pending');
  const isAwaited = phases.some((phase) => !FINISHED.includes(phase));
  const { waitAtLeast = 0, waitAtMost = Infinity } = spec;
  if (!used) return { used, phase: age >= waitAtMost ? 'Expired' : 'Waiting' };
  return { used, phase: isAwaited || age < waitAtLeast ? 'InUse' : 'Finished' };
}
