import type { OperatorEventCall } from 'nestjs-kopf/inspection';
import type { SimulationFault } from '../simulation.plan.js';

/** The attempt from which on attempts count as the same. */
const LATE_ATTEMPT = 4;

/** A way in which a handler was called. */
export interface CoveredCall {
  readonly handler: string;
  /** The reason of the change, `create`, or the kind of the handler, `timer`. */
  readonly cause: string;
  /** The number of the attempt, from 1 on; 4 stands for all later ones. */
  readonly attempt: number;
  /** The kind of the last fault before the call; absent if there was none. */
  readonly fault?: SimulationFault['kind'];
}

/** The ways in which handlers were called in a run. */
export class CallCoverage {
  /** One key for each way; {@link parseCoveredCall} reads it. */
  readonly keys = new Set<string>();

  /** @param fired the faults so far, in their order. */
  note({ id, reason, attempt }: OperatorEventCall, fired: ReadonlySet<SimulationFault>): void {
    const last = [...fired].at(-1)?.kind ?? '';
    this.keys.add(JSON.stringify([id, reason, Math.min(attempt, LATE_ATTEMPT), last]));
  }
}

/** Reads a key of {@link CallCoverage}. */
export function parseCoveredCall(key: string): CoveredCall {
  const [handler, cause, attempt, fault] = JSON.parse(key) as [string, string, number, SimulationFault['kind'] | ''];
  return { handler, cause, attempt, ...(fault && { fault }) };
}
