import { describeReason } from '../../../resources/resource-selector.js';
import type { InspectedProblem, OperatorCounts } from '../../inspection.types.js';
import type { OperatorReadings } from '../../operator.readings.js';

/** The states of watches that work. */
const WATCHING: ReadonlySet<string> = new Set(['watching', 'listing']);

/** Finds the reasons for which an operator is not healthy: by its state, its watches, its handlers, its resources, and its leadership. */
export function findProblems(
  readings: Pick<OperatorReadings, 'status' | 'watches'>,
  counts: Pick<OperatorCounts, 'failed' | 'stuck' | 'failing'>,
): readonly InspectedProblem[] {
  const { state, failure, waitingFor, paused, leadership, credentialsFailure, unserved } = readings.status();
  const problems: InspectedProblem[] = [];
  const add = (part: string, isSevere: boolean, text: string): number => problems.push({ part, isSevere, text });
  if (state === 'failed') add('state', true, `The operator has failed: ${failure ?? 'the log says why'}`);
  if (state === 'starting')
    add('state', false, `The operator is not ready${waitingFor ? `: it waits for ${waitingFor}` : ''}.`);
  if (credentialsFailure !== undefined)
    add('credentials', true, `The credentials are not accepted: ${credentialsFailure}`);
  for (const reason of paused) add('leadership', false, `The operator pauses: ${reason}`);
  const isAtWork = state === 'running' && paused.length === 0;
  if (isAtWork && !leadership.isHeld)
    add('leadership', true, `The operator does not lead: ${leadership.name} is held by another one, or has expired.`);
  for (const { resource, namespace, state: watch, error } of readings.watches()) {
    if (!isAtWork || (WATCHING.has(watch) && error === undefined)) continue;
    const where = namespace === undefined ? '' : ` in ${namespace}`;
    const isBehind = !WATCHING.has(watch);
    add(
      'watches',
      isBehind,
      `The watch of ${resource}${where} is ${watch}${error === undefined ? '' : `; its last error: ${error}`}.`,
    );
  }
  for (const each of unserved) add('resources', false, `${each.resource} is not served: ${describeReason(each)}`);
  const { failed, stuck, failing } = counts;
  const retrying = failing - failed - stuck;
  if (failed > 0) add('handlers', false, `Objects with a handler that has failed for good: ${failed}.`);
  if (stuck > 0) add('handlers', false, `Objects that are stuck: ${stuck}.`);
  if (retrying > 0) add('handlers', false, `Objects with a handler that is retried after an error: ${retrying}.`);
  return problems.sort((one, other) => Number(other.isSevere) - Number(one.isSevere));
}
