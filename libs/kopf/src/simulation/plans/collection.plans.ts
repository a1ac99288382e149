import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { SimulationFault } from '../simulation.plan.js';
import { recreationSites } from './intervention.plans.js';

/** The garbage collector takes its time in the whole run. */
const LATE: SimulationFault = { kind: 'late-collection', afterChange: 0 };

/** Tells whether there are objects that the garbage collector looks at: those with owners. */
export function hasDependants({ changes }: RunRecord): boolean {
  return changes.some((change) => ownersOf(change).length > 0);
}

/**
 * Has the garbage collector take its time, if objects have owners: in the workload as it is, and with each owner that the user makes anew
 * when its dependants are there. For a while, those of the old one are in the way of those of the new one then.
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
