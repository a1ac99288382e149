import { readDuration } from '../../cel/values/cel.time.js';

const WORDS = /^(\d+(?:\.\d+)?)\s*(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)s?$/i;

/** Checks a duration as Go writes it, or in words: `1h30m`, `3 days`. */
export function isDuration(text: string): boolean {
  return readDuration(text) !== undefined || WORDS.test(text);
}
