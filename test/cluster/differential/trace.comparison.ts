import { isDeepStrictEqual } from 'node:util';
import type { Entry } from './instance.log.js';
import {
  arePatchesInOurOrder,
  goesOnAfterRefusal,
  isVainPatch,
  KNOWN_DIFFERENCES,
  purgesLeftovers,
} from './known.differences.js';
import type { ProgramRun } from './program.run.js';
import { normalise } from './trace.normaliser.js';

/** What is compared of a call, of a write, of an action of the user, or of the object in the end. */
export interface TraceEntry {
  readonly type: Entry['type'] | 'final';
  readonly [detail: string]: unknown;
}

/** A run as it is compared: what has happened, and the object in the end. */
export type Trace = readonly TraceEntry[];

export function traceOf({ log, final }: ProgramRun): Trace {
  const entries = log.entries.map((entry) => normalise(entry) as TraceEntry);
  return [...entries, { type: 'final', object: final && normalise(final) }];
}

/** The place where two traces differ first, as a text with what led to it; `undefined` if all their differences are known. */
export function compareTraces(control: Trace, candidate: Trace): string | undefined {
  const [expected, actual] = [control, candidate].map((trace) =>
    KNOWN_DIFFERENCES.reduce((rest, known) => known.takeOut(rest), trace),
  );
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length; index++) {
    if (isDeepStrictEqual(expected[index], actual[index])) continue;
    if (arePatchesInOurOrder(expected.slice(index, index + 2), actual.slice(index, index + 2))) {
      index++;
      continue;
    }
    if (actual[index] && purgesLeftovers(actual[index])) return undefined;
    if (expected[index] && isVainPatch(expected[index])) return undefined;
    if (actual[index] && goesOnAfterRefusal(actual[index], actual.slice(0, index))) return undefined;
    return [
      `entry ${index} of ${expected.length} and ${actual.length}`,
      ...expected.slice(Math.max(0, index - 3), index).map((entry) => `  both: ${JSON.stringify(entry)}`),
      ...expected.slice(index, index + 2).map((entry) => `  kopf: ${JSON.stringify(entry)}`),
      ...actual.slice(index, index + 2).map((entry) => `  ours: ${JSON.stringify(entry)}`),
    ].join('\n');
  }
  return undefined;
}
