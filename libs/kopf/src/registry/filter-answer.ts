import { rejectPromise } from '../common/waiting.js';

/**
 * Reads what a filter callback has returned. A promise says nothing yet, though it would count as a match, as every object does.
 *
 * @throws TypeError if it is a promise
 */
export function isMatch(answer: unknown): boolean {
  rejectPromise(answer, 'it returned a promise, and filters must not be asynchronous');
  return Boolean(answer);
}
