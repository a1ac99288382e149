import type { SimulationFault } from './simulation.plan.js';

/** Tells how many of the points were tried at which a kind of fault can matter. */
export interface SimulationPointCoverage {
  readonly tried: number;
  readonly total: number;
}

/** Tells in how many runs a handler was called in a certain way. */
export interface SimulationCallCoverage {
  /** The id of the handler. */
  readonly handler: string;
  /** The reason of the change, `create`, or the kind of the handler, `timer`. */
  readonly cause: string;
  /** Counts from 1 on; 4 stands for all later attempts. */
  readonly attempt: number;
  /** The kind of the fault that came last before the call; absent if there was none. */
  readonly fault?: SimulationFault['kind'];
  readonly runs: number;
}

/** Counts what was tried. */
export interface SimulationCoverage {
  /** The writes and effects of the operator in the run without faults, and after how many of them it has crashed. */
  readonly writes: number;
  readonly crashedWrites: number;
  /** The faults that came to pass, by their kinds. */
  readonly faults: Readonly<Record<string, number>>;
  /** The faults that have matched nothing in the run of their plan, in words, each once: they show nothing. */
  readonly unmet: readonly string[];
  /** The properties that must hold at some time, and whether they did. */
  readonly sometimes: Readonly<Record<string, boolean>>;
  /** The points of the run without faults: writes to crash after, changes to see too late or never, requests that meet something else. */
  readonly points: Readonly<Record<string, SimulationPointCoverage>>;
  /** The ways in which handlers were called. */
  readonly calls: readonly SimulationCallCoverage[];
}
