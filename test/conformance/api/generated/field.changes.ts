// Cases of all fields of all built-in kinds: may the field change, by each of the four types of patches? Nothing is stored.
import {
  type FieldType,
  kindOf,
  kindTypeName,
  TypedSchema,
} from '../../../../libs/embedded-kube/src/typed/typed.schema.js';
import type { CaseStep, ConformanceCase } from '../case.reader.js';
import { KINDS, type RandomKind, SAMPLES } from '../random/random.kinds.js';

type Values = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const SCHEMA = new TypedSchema();

/** Two values of each type: at least one of them is a change. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ['changed', 'other'],
  b: [true, false],
  i: [7, 8],
  l: [7, 8],
  d: [0.5, 1],
  B: ['AAEC', 'AAED'],
  T: ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
  M: ['2024-01-01T00:00:00.000001Z', '2024-01-02T00:00:00.000001Z'],
  D: ['5s', '6s'],
  Q: ['7', '8'],
  I: [7, 8],
};
/** Fields whose answer tells nothing, as clients and servers have to agree on them. */
const SKIPPED = new Set(['kind', 'apiVersion', 'status', 'managedFields', 'resourceVersion']);

/** Makes the cases: one for each valid object of a kind. */
export function fieldChangeCases(): ConformanceCase[] {
  const kinds = KINDS.filter(({ key }) => key !== 'widgets.example.com');
  return kinds.flatMap((kind) =>
    SAMPLES[kind.key].map((sample, index): ConformanceCase => {
      const type: FieldType = { kind: 'value', of: kindTypeName(kindOf(kind.apiVersion, kind.kind)) };
      const changes = [...fieldChanges(sample, type, [])];
      return {
        id: `field-changes: ${kind.key} ${index}`,
        world: 'core',
        steps: [
          step('POST', kind.collection, { ...sample, metadata: { name: NAME } }),
          ...changes.flatMap(({ path, value }) => patches(kind, path, value)),
        ],
      };
    }),
  );
}

const NAME = 'x-{id}';

interface FieldChange {
  readonly path: Path;
  readonly value: unknown;
}

/** Finds all fields of a value and of the structures in it, each with another value. */
function* fieldChanges(value: unknown, type: FieldType, path: Path): Generator<FieldChange> {
  if (type.kind !== 'value') {
    if (Array.isArray(value) && value.length > 0) yield* fieldChanges(value[0], type.of, [...path, 0]);
    return;
  }
  for (const [name, fieldType] of fieldsOf(type.of)) {
    if (path.length === 0 && SKIPPED.has(name)) continue;
    const own = (value as Values | undefined)?.[name];
    const next = otherValue(own, fieldType);
    if (next !== undefined) yield { path: [...path, name], value: next };
    const isMetadata = path.length === 0 && name === 'metadata';
    if (own !== undefined || isMetadata) yield* fieldChanges(own, fieldType, [...path, name]);
  }
}

function otherValue(own: unknown, type: FieldType): unknown {
  if (type.kind === 'map') {
    const value = type.of.kind === 'value' && VALUES[type.of.of]?.[0];
    return value === undefined || value === false ? undefined : { changed: value };
  }
  if (type.kind === 'list') {
    const value = type.of.kind === 'value' && VALUES[type.of.of]?.[0];
    return value === undefined || value === false ? undefined : [value];
  }
  return VALUES[type.of]?.find((each) => each !== own);
}

function fieldsOf(name: string): (readonly [string, FieldType])[] {
  return (SCHEMA.find(name)?.fields ?? []).flatMap((field) => {
    const inlined = SCHEMA.inlined(field);
    if (inlined && field.type.kind === 'value') return fieldsOf(field.type.of);
    return SKIPPED.has(field.name) ? [] : [[field.name, field.type] as const];
  });
}

/** Changes a field by each type of patches; one of an item only by a JSON patch, as the others replace or need the whole item. */
function patches({ collection, apiVersion, kind }: RandomKind, path: Path, value: unknown): CaseStep[] {
  const target = `${collection}/${NAME}?dryRun=All`;
  const pointer = `/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
  const steps = [step('PATCH', target, [{ op: 'add', path: pointer, value }], 'application/json-patch+json')];
  if (path.some((part) => typeof part === 'number')) return steps;
  const change = path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Values;
  const metadata = { name: NAME, ...(change['metadata'] as object | undefined) };
  return [
    ...steps,
    step('PATCH', target, change, 'application/merge-patch+json'),
    step('PATCH', target, change, 'application/strategic-merge-patch+json'),
    step(
      'PATCH',
      `${target}&fieldManager=m&force=true`,
      { ...change, apiVersion, kind, metadata },
      'application/apply-patch+yaml',
    ),
  ];
}

function step(method: string, path: string, body: unknown, type?: string): CaseStep {
  const headers: CaseStep['headers'] = type === undefined ? {} : { 'content-type': type };
  return { form: 'send', method, path, headers, body: named(body), captures: {}, compares: ['code', 'message'] };
}

/** Fills in the namespace of samples that name it. */
function named(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll('"NS"', '"{ns}"'));
}
