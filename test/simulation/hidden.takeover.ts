import type { SimulatedModule, SimulationOptions, SimulationPlan } from 'nestjs-kopf-simulation';
import { prepareWorld } from '../../libs/kopf-simulation/src/world/prepared.world.js';
import { SimulationRun } from '../../libs/kopf-simulation/src/run/simulation.run.js';
import type { TimelineEntry } from '../../libs/kopf-simulation/src/run/timeline.js';

/** Selects the plans by which one process takes over from another one while the API server that it sees is behind. */
export async function withHiddenTakeover(
  plans: readonly SimulationPlan[],
  module: SimulatedModule,
  options: SimulationOptions,
): Promise<readonly SimulationPlan[]> {
  const world = await prepareWorld(module, options);
  const selected: SimulationPlan[] = [];
  for (const plan of plans) {
    const { timeline } = await new SimulationRun(world, plan).execute();
    if (hasHiddenTakeover(timeline.entries)) selected.push(plan);
  }
  await world.close();
  return selected;
}

/** Whether a process calls a handler after another one has, and cannot see a change from before. */
function hasHiddenTakeover(entries: readonly TimelineEntry[]): boolean {
  let worker: number | undefined;
  let isHidden = false;
  for (const { type, fault, change, actor } of entries) {
    if (fault === 'stale' && type === 'recovery') isHidden = false;
    if (change !== undefined && change.hiddenFrom.length > 0) isHidden = true;
    if (type !== 'call') continue;
    if (isHidden && worker !== undefined && worker !== actor.process) return true;
    worker = actor.process;
  }
  return false;
}
