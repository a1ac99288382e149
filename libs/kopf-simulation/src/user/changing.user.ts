import type { TestManifestObject } from 'nestjs-kopf/testing';
import { describeChange } from '../plans/object.states.js';
import { runCommands } from './command.workload.js';
import type { UserRun, WorldUser } from './simulated.user.js';

/** Seconds for which the operator may try to reach a state before the user changes it. */
const ATTEMPT = 120;

/** Runs the part of the user in a plan. @returns whether the API server has rejected the last state of the object that is changed */
export async function doWork(user: WorldUser, run: UserRun): Promise<boolean> {
  const { workload, changes } = run.options;
  if (run.plan.states || !workload) return bringAbout(run.plan.states ?? [changes!.object], user, run);
  await (typeof workload === 'function' ? workload(user) : runCommands(workload, user, run.timeline));
  return false;
}

/**
 * Brings an object into one state after another. The run is about the last state: the operator may fail with all others, and the API server may
 * reject any of them.
 *
 * @returns whether the API server has rejected the last one.
 */
async function bringAbout(states: readonly TestManifestObject[], user: WorldUser, run: UserRun): Promise<boolean> {
  let isRejected = false;
  for (const [index, state] of states.entries()) {
    if (index > 0) await run.settleFor(ATTEMPT);
    run.beginState();
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
