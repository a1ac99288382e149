import { diff, reduceDiff, type ObjectDiff } from '../../libs/kopf/src/objects/diffs.js';
import { parseFieldPath } from '../../libs/kopf/src/objects/field-path.js';
import { readVectors, type VectorDiff } from './vectors.js';

const { diffs, reduced } = readVectors();

describe('diffs', () => {
  it.each(diffs)(
    'should be those of Kopf in any order, but strict about booleans: $a to $b',
    ({ a, b, ...expected }) => {
      for (const scope of ['full', 'left', 'right'] as const) {
        expect(inAnyOrder(asInPython(diff(a, b, scope)))).toEqual(inAnyOrder(expected[scope]));
      }
    },
  );

  it.each(reduced)(
    'should be reduced as by Kopf in any order: $a to $b, $field',
    ({ a, b, field, reduced: expected }) => {
      expect(inAnyOrder(asInPython(reduceDiff(diff(a, b), parseFieldPath(field))))).toEqual(inAnyOrder(expected));
    },
  );
});

/** Python takes `1` and `True` as equal, also deep inside of lists, so it has no item for such a change, and only for such. */
function asInPython(items: ObjectDiff): ObjectDiff {
  return items.filter(([, , before, after]) => JSON.stringify(numeric(before)) !== JSON.stringify(numeric(after)));
}

function numeric(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value)) return value.map(numeric);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, numeric(inner)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inAnyOrder(items: ObjectDiff | VectorDiff): string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}
