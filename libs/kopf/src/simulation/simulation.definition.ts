import type { SimulatedModule } from './run/prepared.world.js';
import { simulate } from './simulate.js';
import type { SimulationOptions } from './simulation.options.js';
import type { SimulationReport } from './simulation.report.js';

/** By which `kopf simulate` knows definitions, also those of another build of the package. */
const BRAND = Symbol.for('nestjs-kopf:simulation');

/** A simulation that can be run by tests and by `kopf simulate`. {@link defineSimulation} makes it. */
export class SimulationDefinition {
  readonly [BRAND] = true;

  /** @internal */
  constructor(
    readonly module: SimulatedModule,
    readonly options: SimulationOptions,
  ) {}

  /**
   * Runs it, as {@link simulate} does.
   *
   * @param changes options that are other ones this time: `{ plans: { random: 500, seed } }`.
   */
  run(changes: Partial<SimulationOptions> = {}): Promise<SimulationReport> {
    return simulate(this.module, { ...this.options, ...changes });
  }
}

/**
 * Describes a simulation in a file of its own, so that tests and the command `kopf simulate FILE` run the same.
 *
 * @example
 * export default defineSimulation(AppModule, {
 *   workload: async (kube) => {
 *     await kube.apply(claim);
 *     await kube.settled();
 *   },
 * });
 */
export function defineSimulation<Model>(
  module: SimulatedModule,
  options: SimulationOptions<Model>,
): SimulationDefinition {
  return new SimulationDefinition(module, options);
}
