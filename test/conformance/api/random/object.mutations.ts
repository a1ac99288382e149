// Changes objects at random, by the types of the built-in kinds: half of the changes are such as users make, the others are nasty.
import { BUILTIN_RESOURCES } from '../../../../libs/embedded-kube/src/kinds/builtin-resources.data.js';
import { type FieldType, kindTypeName, TypedSchema } from '../../../../libs/embedded-kube/src/typed/typed.schema.js';
import type { RandomChoices } from '../../../support/generators/random.choices.js';

type Values = Record<string, unknown>;
type Path = readonly (string | number)[];

/** A field that can be changed: where it is, and its type if it is known. */
interface Place {
  readonly path: Path;
  readonly type?: FieldType;
  readonly present: boolean;
}

const SCHEMA = new TypedSchema();
/** Values that many fields of a type accept. */
const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
  s: ['a', 'b-c', 'a.b.c', 'Always', 'None', 'TCP', 'UDP', 'Pod', '10.0.0.7', 'x/y', 'v1', 'Local', 'Cluster', 'Never'],
  b: [true, false],
  i: [0, 1, 2, 5, 80, 600],
  l: [0, 1, 2, 5, 600, 1000],
  d: [0, 1, 0.5],
  B: ['', 'AAEC'],
  T: ['2024-01-01T00:00:00Z', '2024-02-29T23:59:60.5+02:00'],
  M: ['2024-01-01T00:00:00.000001Z'],
  D: ['5s', '1h30m'],
  Q: ['1', '100m', '1Gi', '0.5', '1e3', 2],
  I: [1, '25%', 'http', 80],
};
const NASTY: readonly unknown[] = [
  null,
  '',
  ' ',
  -1,
  0,
  1.5,
  65_536,
  2 ** 31,
  2 ** 53,
  true,
  'x',
  'A_B',
  'a b',
  '-a',
  'a/b/c',
  '..',
  '%',
  '\u0000',
  'ä',
  'x'.repeat(64),
  'x'.repeat(254),
  'x'.repeat(1025),
  [],
  {},
  [null],
  [{}],
  [''],
  { '': '' },
  { 'a b': 'c' },
  { a: 1 },
  '1.2.3.4.5',
  '256.0.0.1',
  '::1',
  '10.0.0.0/33',
  'http://[',
  '*',
  '*.a.b',
  '2024-13-01T00:00:00Z',
  '5',
  '1Zi',
  '-1Gi',
  '101%',
  '$(A)',
  '{{',
  'a\nb',
  '__proto__',
  'constructor',
  9007199254740993n.toString(),
];

/** The type of a resource's objects, `undefined` for custom ones. */
export function typeOf(key: string): FieldType | undefined {
  const resource = BUILTIN_RESOURCES.find(({ plural, group }) => (group ? `${plural}.${group}` : plural) === key);
  const name = resource && kindTypeName(resource);
  return name && SCHEMA.find(name) ? { kind: 'value', of: name } : undefined;
}

/** A copy of the object with a change: one that is likely to be accepted, or a nasty one. */
export function mutate(object: Values, key: string, choices: RandomChoices, nasty: boolean): Values {
  const copy = structuredClone(object);
  const places: Place[] = [];
  collect(copy, typeOf(key), [], places);
  if (nasty && choices.withProbability(0.15)) return mutateMetadata(copy, choices);
  const usable = nasty ? places : places.filter(({ type }) => type !== undefined);
  if (usable.length === 0) return copy;
  // Fields at any depth have the same chance: most fields are deep in templates of pods.
  const depth = choices.pick([...new Set(usable.map(({ path }) => path.length))]);
  const { path, type, present } = choices.pick(usable.filter((place) => place.path.length === depth));
  const parent = path.slice(0, -1).reduce<Values>((value, part) => value[part] as Values, copy);
  const last = path.at(-1)! as string;
  if (present && choices.withProbability(nasty ? 0.25 : 0.15)) delete parent[last];
  else if (nasty && choices.withProbability(0.1)) parent['unknownField'] = choices.pick(NASTY);
  else parent[last] = nasty && choices.withProbability(0.7) ? choices.pick(NASTY) : makeValue(type, choices, 0);
  return copy;
}

function mutateMetadata(object: Values, choices: RandomChoices): Values {
  const field = choices.pick([
    'labels',
    'annotations',
    'finalizers',
    'namespace',
    'uid',
    'generateName',
    'creationTimestamp',
    'unknown',
    'ownerReferences',
  ]);
  const value = choices.pick<unknown>([
    ...NASTY,
    { a: 'b', 'x/y': '' },
    { 'a/b/c': 'd' },
    { a: 'x'.repeat(64) },
    { a: null },
    ['a.b/c'],
    ['plain'],
    ['a b'],
    [{ apiVersion: 'v1', kind: '', name: 'a', uid: 'u' }],
  ]);
  return { ...object, metadata: { ...(object['metadata'] as Values | undefined), [field]: value } };
}

function collect(value: unknown, type: FieldType | undefined, path: Path, places: Place[]): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const itemType = type?.kind === 'list' ? type.of : undefined;
      places.push({ path: [...path, index], type: itemType, present: true });
      collect(each, itemType, [...path, index], places);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const fields = type?.kind === 'value' && type.of.length > 1 ? fieldsOf(type.of) : [];
  const names = new Set([...Object.keys(value), ...fields.map(([name]) => name)]);
  for (const name of names) {
    if (path.length === 0 && (name === 'metadata' || name === 'status' || name === 'kind' || name === 'apiVersion'))
      continue;
    const fieldType = type?.kind === 'map' ? type.of : fields.find(([each]) => each === name)?.[1];
    const present = name in value;
    places.push({ path: [...path, name], type: fieldType, present });
    if (present) collect((value as Values)[name], fieldType, [...path, name], places);
  }
}

function fieldsOf(name: string): (readonly [string, FieldType])[] {
  const struct = SCHEMA.find(name);
  return (struct?.fields ?? []).flatMap((field) => {
    const inlined = SCHEMA.inlined(field);
    return inlined && field.type.kind === 'value' ? fieldsOf(field.type.of) : [[field.name, field.type] as const];
  });
}

function makeValue(type: FieldType | undefined, choices: RandomChoices, depth: number): unknown {
  if (!type) return choices.pick(['a', 1, true, {}, []]);
  if (type.kind === 'list') return choices.several(0, 2, () => makeValue(type.of, choices, depth + 1));
  if (type.kind === 'map') {
    return Object.fromEntries(
      choices.several(0, 2, () => [choices.pick(['a', 'b', 'x.y/z']), makeValue(type.of, choices, depth + 1)]),
    );
  }
  const likely = LIKELY[type.of];
  if (likely) return choices.pick(likely);
  if (type.of.length === 1 || depth > 3) return {};
  const fields = fieldsOf(type.of).filter(() => choices.withProbability(0.4));
  return Object.fromEntries(fields.map(([name, each]) => [name, makeValue(each, choices, depth + 1)]));
}
