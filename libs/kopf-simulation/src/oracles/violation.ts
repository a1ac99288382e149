import type { SimulationOracle } from '../simulation.options.js';

/** Something that is wrong in a run. */
export interface Violation {
  /**
   * The check that has found the violation: an oracle, one of the user's properties, an error of the run, a run that takes too much processor time, or a
   * plan that is out of date.
   */
  readonly check: SimulationOracle | 'always' | 'eventually' | 'sometimes' | 'error' | 'budget' | 'outdated';
  /** A description of the violation, without anything that differs from run to run. */
  readonly message: string;
}
