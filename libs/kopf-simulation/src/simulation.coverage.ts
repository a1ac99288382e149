import type { SimulationFault } from './simulation.plan.js';

/** The coverage of a kind of fault: how many of the points at which it can matter were tried. */
export interface SimulationPointCoverage {
  readonly tried: number;
  readonly total: number;
}

/** The coverage of one way of calling a handler: in how many runs it has happened. */
export interface SimulationCallCoverage {
  /** The id of the handler. */
  readonly handler: string;
  /** The reason of the change, `create`, or the kind of the handler, `timer`. */
  readonly cause: string;
  /** The number of the attempt, from 1 on; 4 stands for all later attempts. */
  readonly attempt: number;
  /** The kind of the last fault before the call; absent if there was none. */
  readonly fault?: SimulationFault['kind'];
  readonly runs: number;
}

/** The runs in which a property of the user did not hold, and was excused for the same reason. */
export interface SimulationExcuse {
  /** The check with the name of the property: `eventually hasVolume`. */
  readonly property: string;
  /** The kind of the fault that makes it impossible; or `refused value`, if the operator or the API server refuses what the user wants. */
  readonly by: SimulationFault['kind'] | 'refused value';
  readonly runs: number;
}

/** The coverage of a simulation: what its plans have tried. */
export interface SimulationCoverage {
  /** The writes and effects of the operator in the run without faults, and after how many of them it has crashed. */
  readonly writes: number;
  readonly crashedWrites: number;
  /** The number of faults that have happened, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** Descriptions of the faults that have matched nothing in the run of their plan, each once: they show nothing. */
  readonly unmet: readonly string[];
  /** The properties that did not hold, and need not hold after a fault of the plan. */
  readonly excused: readonly SimulationExcuse[];
  /** The `sometimes` properties, and whether they have held. */
  readonly sometimes: Readonly<Record<string, boolean>>;
  /** The points of the run without faults, by kind: writes to crash after, changes to delay or miss, requests to fail. */
  readonly points: Readonly<Record<string, SimulationPointCoverage>>;
  /** The ways in which handlers were called. */
  readonly calls: readonly SimulationCallCoverage[];
}
