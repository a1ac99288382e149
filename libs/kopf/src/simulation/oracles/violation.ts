import type { SimulationOracle } from '../simulation.options.js';

/** Something that is wrong in a run. */
export interface Violation {
  /** The check that has found it: an oracle, one of the user's properties, an error of the run, or a plan that does not fit any more. */
  readonly check: SimulationOracle | 'always' | 'eventually' | 'sometimes' | 'error' | 'outdated';
  /** Says what is wrong, without anything that differs from run to run. */
  readonly message: string;
}
