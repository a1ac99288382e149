import type { SimulationOracle } from '../simulation.options.js';

/** Something that is wrong in a run. */
export interface Violation {
  /** The check that has found it: an oracle, or one of the user's properties. */
  readonly check: SimulationOracle | 'always' | 'eventually' | 'sometimes' | 'error';
  /** Says what is wrong, without anything that differs from run to run. */
  readonly message: string;
}
