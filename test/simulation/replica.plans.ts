import type { SimulationFault, SimulationPlan } from 'nestjs-kopf-simulation';

/** The numbers of the writes or changes at which faults come, both ends included. */
export function points(from: number, to: number, step = 1): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** Crashes of whichever replica writes, after each of some writes. */
export function crashes(writes: readonly number[], downtime: number): readonly SimulationPlan[] {
  return writes.map((afterWrite) => planOf({ kind: 'crash', afterWrite, downtime }));
}

/** Freezes the replica that writes, after each of some writes. */
export function freezes(writes: readonly number[], seconds: number): readonly SimulationPlan[] {
  return writes.map((afterWrite) => planOf({ kind: 'freeze', afterWrite, seconds }));
}

/** Lets clocks jump, after each of some changes. @param replicas with `undefined` for all of them at once */
export function clockJumps(
  changes: readonly number[],
  distances: readonly number[],
  replicas: readonly (number | undefined)[],
): readonly SimulationPlan[] {
  return changes.flatMap((afterChange) =>
    distances.flatMap((seconds) =>
      replicas.map((replica) =>
        planOf({ kind: 'clock-jump', afterChange, seconds, ...(replica !== undefined && { replica }) }),
      ),
    ),
  );
}

/** Lets clocks be wrong all the time, from some changes on, and until some others. */
export function skews(
  changes: readonly number[],
  distances: readonly number[],
  replicas: readonly number[],
): readonly SimulationPlan[] {
  return replicas.flatMap((replica) =>
    distances.flatMap((seconds) => {
      const skew = { kind: 'clock-skew', seconds, replica } as const;
      return [
        planOf({ ...skew, afterChange: 0 }),
        ...changes.map((afterChange) => planOf({ ...skew, afterChange })),
        ...changes.map((untilChange) => planOf({ ...skew, afterChange: 0, untilChange })),
      ];
    }),
  );
}

/** Does not accept valid credentials for some seconds, or for a number of requests, after each of some changes. */
export function bursts(
  changes: readonly number[],
  length: { readonly seconds: number } | { readonly times: number },
): readonly SimulationPlan[] {
  return changes.map((afterChange) => planOf({ kind: 'unauthorized', afterChange, ...length }));
}

/** Disconnects all replicas, after each of some changes. */
export function outages(changes: readonly number[], seconds: number): readonly SimulationPlan[] {
  return changes.map((afterChange) => planOf({ kind: 'outage', afterChange, seconds }));
}

/** Shows all replicas an API server that is behind, from each of some changes on. */
export function lags(changes: readonly number[], resource: string): readonly SimulationPlan[] {
  return changes.map((fromChange) => planOf({ kind: 'stale', resource, fromChange }));
}

/** Combines each fault of the first plans with each of the others. */
export function combine(one: readonly SimulationPlan[], other: readonly SimulationPlan[]): readonly SimulationPlan[] {
  return one.flatMap((plan) => other.map(({ faults }) => ({ ...plan, faults: [...plan.faults, ...faults] })));
}

/** Counts the faults of plans by their kinds, as the coverage of a report counts those that have happened. */
export function countFaults(plans: readonly SimulationPlan[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { faults } of plans) for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function planOf(fault: SimulationFault): SimulationPlan {
  return { seed: 1, faults: [fault] };
}
