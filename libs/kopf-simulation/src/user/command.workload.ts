import type { SimulatedCommands, SimulatedWorkload } from '../simulation.options.js';
import type { WorldUser } from './simulated.user.js';
import type { Timeline } from '../run/timeline.js';

/**
 * Runs the commands of a workload one after another, with a new model in each run. A command that the plan leaves out does not change the model
 * either, so later commands are checked against the real state of the cluster.
 */
export async function runCommands(
  { commands, model: createModel }: SimulatedCommands,
  user: WorldUser,
  timeline: Timeline,
): Promise<void> {
  const model = createModel();
  for (const command of commands) {
    const text = command.toString();
    await user.command(text, async () => {
      if (!(await command.check(model))) return;
      timeline.note('user', text);
      await command.run(model, user);
    });
  }
}

/** Rejects commands that can be read only once, such as a generator: every run but the first would have none. */
export function assertRepeatable(workload: SimulatedWorkload | undefined): void {
  if (typeof workload !== 'object') return;
  const { commands } = workload;
  if ((commands[Symbol.iterator]() as unknown) !== commands) return;
  throw new TypeError(
    'The commands of the workload can be read only once, as those of a generator, but each run of a simulation reads them. Give an array.',
  );
}
