import { deepEqual } from 'kube-common';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import type { RunRecord } from '../run/run.record.js';
import { describeDifferences } from './final.state.js';
import type { Violation } from './violation.js';

/**
 * Compares the end of a run in which the user has changed an object with the end of a run in which the object was created in its last state. Results
 * of handlers are not compared, as the status keeps the results of all handlers that were ever called.
 *
 * @param masked selects places that may differ.
 */
export function compareWithCreation(
  changed: RunRecord,
  created: RunRecord,
  masked: (place: string) => boolean,
): readonly Violation[] {
  const { states = [] } = changed.plan;
  const results = [...changed.handlers, ...created.handlers].map((id) => ` .status.${id.replace('/', '.')}`);
  const isMasked = (place: string): boolean => masked(place) || results.some((result) => isWithin(place, result));
  const texts = describeDifferences(created.state, changed.state, isMasked);
  return texts ? [{ check: 'changes', message: `${describeChain(states)}: ${texts}` }] : [];
}

function isWithin(place: string, part: string): boolean {
  const index = place.indexOf(part);
  return index >= 0 && /^([.[]|$)/.test(place.slice(index + part.length));
}

function describeChain(states: readonly TestManifestObject[]): string {
  if (states.length > 2 && deepEqual(states[0], states.at(-1))) return 'a change that is taken back leaves a trace';
  return 'an object that is changed ends otherwise than one that is created like that';
}
