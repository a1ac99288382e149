import type { TestManifestObject } from '../../testing/test-manifests.js';
import { describeChange } from '../plans/object.states.js';
import type { SimulationRun } from './simulation.run.js';
import { runCommands } from './command.workload.js';
import type { WorldUser } from './simulated.user.js';

/** Seconds for which an operator may try to bring about what the user then wants otherwise. */
const ATTEMPT = 120;

/** Does what the user does in a plan. @returns whether the API server has rejected the last state of the object that is changed */
export async function doWork(user: WorldUser, run: SimulationRun): Promise<boolean> {
  const { workload, changes } = run.options;
  if (run.plan.states || !workload) return bringAbout(run.plan.states ?? [changes!.object], user, run);
  await (typeof workload === 'function' ? workload(user) : runCommands(workload, user, run.timeline));
  return false;
}

/**
 * Brings an object into one state after another. The operator may fail with all but the last one, which is what the run is about; the
 * API server may reject any.
 *
 * @returns whether the API server has rejected the last one.
 */
async function bringAbout(
  states: readonly TestManifestObject[],
  user: WorldUser,
  run: SimulationRun,
): Promise<boolean> {
  let isRejected = false;
  for (const [index, state] of states.entries()) {
    if (index > 0) await run.settleFor(ATTEMPT);
    if (states.length > 1) run.timeline.note('user', describeChange(states[index - 1], state));
    try {
      await user.apply(state);
      isRejected = false;
    } catch (error) {
      run.timeline.note('cluster', error instanceof Error ? error.message : String(error));
      isRejected = true;
    }
  }
  return isRejected;
}
