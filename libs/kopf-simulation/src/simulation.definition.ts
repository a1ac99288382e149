import type { SimulatedModule } from './world/prepared.world.js';
import { simulate } from './simulate.js';
import type { SimulationOptions } from './simulation.options.js';
import type { SimulationReport } from './simulation.report.js';

/** The brand by which `kopf simulate` recognizes definitions, also those of another build of the package. */
const BRAND = Symbol.for('nestjs-kopf:simulation');

/** A simulation that tests and `kopf simulate` can run, made by {@link defineSimulation}. */
export class SimulationDefinition {
  readonly [BRAND] = true;

  /** @internal */
  constructor(
    readonly module: SimulatedModule,
    readonly options: SimulationOptions,
  ) {}

  /**
   * Runs the simulation as {@link simulate} does.
   *
   * @param changes options that override those of the definition: `{ plans: { random: 500, seed } }`.
   */
  run(changes: Partial<SimulationOptions> = {}): Promise<SimulationReport> {
    return simulate(this.module, { ...this.options, ...changes });
  }
}

/**
 * Defines a simulation in a separate file, so that tests and the command `kopf simulate FILE` run the same.
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
