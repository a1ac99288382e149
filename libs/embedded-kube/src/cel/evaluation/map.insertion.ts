import { CelEvaluationError } from '../values/cel.error.js';
import { type CelMap, type CelValue, EntryMap } from '../values/cel.value.js';
import type { CelStep } from './cel.step.js';

/** Adds to the map that a loop makes: one key with its value, or the entries of another map. */
export function mapInsert([accumulator, key, value]: readonly CelStep[]): CelStep {
  return (activation) => {
    const map = accumulator!(activation) as EntryMap;
    const first = key!(activation);
    activation.meter.charge(1);
    if (value) return withEntry(map, first, value(activation));
    let result = map;
    for (const each of (first as CelMap).keys()) result = withEntry(result, each, (first as CelMap).get(each)!);
    return result;
  };
}

function withEntry(map: EntryMap, key: CelValue, value: CelValue): EntryMap {
  if (map.has(key)) throw new CelEvaluationError(`insert failed: key ${String(key)} already exists`);
  map.set(key, value);
  return map;
}
