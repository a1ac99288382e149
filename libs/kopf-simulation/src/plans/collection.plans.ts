import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { SimulationFault } from '../simulation.plan.js';
import { recreationSites } from './intervention.plans.js';

/** A garbage collector that is slow in the whole run. */
const LATE: SimulationFault = { kind: 'late-collection', afterChange: 0 };

/** Whether the run has objects with owners, which the garbage collector handles. */
export function hasDependants({ changes }: RunRecord): boolean {
  return changes.some((change) => ownersOf(change).length > 0);
}

/**
 * Slows the garbage collector down, if objects have owners: in the workload as it is, and when the user recreates an owner after its dependants were
 * created. The dependants of the old owner are then in the way of those of the new owner for a while.
 */
export function* collectionFaults(clean: RunRecord): Generator<readonly SimulationFault[]> {
  if (!hasDependants(clean)) return;
  yield [LATE];
  for (const { object, created, end } of recreationSites(clean)) {
    const { uid } = created.after!.metadata;
    const dependants = clean.changes.filter((change) => change.number < end && ownersOf(change).includes(uid));
    const last = dependants.at(-1);
    if (last) yield [LATE, { kind: 'recreate', ...object, afterChange: last.number }];
  }
}

function ownersOf({ after }: TracedChange): readonly (string | undefined)[] {
  return after?.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
}
