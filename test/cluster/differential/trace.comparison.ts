import { isDeepStrictEqual } from 'node:util';
import type { Entry } from './instance.log.js';
import {
  arePartsAfterRejection,
  arePatchesInOurOrder,
  goesOnAfterRejection,
  isVainCall,
  isVainPatch,
  KNOWN_DIFFERENCES,
  purgesLeftovers,
} from './known.differences.js';
import type { ProgramRun } from './program.run.js';
import { normalise } from './trace.normaliser.js';

/** The part of an entry that is compared: of a call, of a write, of an action of the user, or of the object in the end. */
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
    KNOWN_DIFFERENCES.reduce((rest, known) => known.takeOut(rest), trace).slice(),
  );
  let hasFurtherEvents = false;
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    if (isDeepStrictEqual(expected[index], actual[index])) continue;
    const [theirs, ours] = [expected, actual].map((trace) => trace.slice(index, index + 2));
    if (arePatchesInOurOrder(theirs, ours)) {
      actual.splice(index, 2, ...theirs);
      continue;
    }
    if (theirs.length && arePartsAfterRejection(theirs[0], ours, actual.slice(0, index))) {
      actual.splice(index, 2, theirs[0]);
      hasFurtherEvents = true;
      continue;
    }
    if (theirs.length && isVainCall(theirs[0], expected.slice(0, index))) {
      expected.splice(index, 1);
      index -= 1;
      continue;
    }
    if (hasFurtherEvents && ours[0]?.event) return undefined;
    if (ours.length && purgesLeftovers(ours[0])) return undefined;
    if (theirs.length && isVainPatch(theirs[0])) return undefined;
    if (ours.length && goesOnAfterRejection(ours[0], actual.slice(0, index))) return undefined;
    return [
      `entry ${index} of ${expected.length} and ${actual.length}`,
      ...expected.slice(Math.max(0, index - 3), index).map((entry) => `  both: ${JSON.stringify(entry)}`),
      ...theirs.map((entry) => `  kopf: ${JSON.stringify(entry)}`),
      ...ours.map((entry) => `  ours: ${JSON.stringify(entry)}`),
    ].join('\n');
  }
  return undefined;
}
