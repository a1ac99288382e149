import { plainToInstance, Type } from 'class-transformer';
import * as v from 'class-validator';
import type { ObjectClass, Random } from 'nestjs-kopf';
import {
  CustomResource,
  customResourceDefinition,
  Default,
  EmbeddedResource,
  Field,
  IntOrString,
  ListType,
  Nullable,
  PreserveUnknownFields,
  type CustomResourceDefinition,
} from 'nestjs-kopf/crd';
import { SeededRandom } from 'nestjs-kopf/testing';
import { RandomChoices } from './random.choices.js';

/** A kind of fields: its decorators, and values of which it takes some and refuses others. */
interface FieldKind {
  readonly decorators: readonly PropertyDecorator[];
  readonly values: readonly unknown[];
  /** A value that the field can have by default. */
  readonly initial?: unknown;
}

class Part {
  @v.IsString() name: string;
  @v.IsOptional() @v.IsInt() @v.Min(0) count?: number;
}

/** A class with defaults, which are written into each object that lacks them. */
class Preset {
  @Default('a') @v.IsString() name: string;
  @Default(2) @v.IsInt() @v.Max(5) count: number;
}

class Key {
  @v.IsString() name: string;
  @v.IsInt() port: number;
  @v.IsOptional() @v.IsString() note?: string;
}

const TEXTS = ['', 'a', 'ab', 'abc-1', 'ABC', 'x'.repeat(6), 'ä', '\u{1F600}b'];
const NUMBERS = [-2, -1, 0, 1, 2, 4, 5, 6, 1.5, 10];
const OTHERS = [true, {}, [], [1], { name: 'a' }];
const LISTS = [[], ['a'], ['a', 'a'], ['a', 'b', 'c'], [1], [1, 2], ['a', 1], [{ name: 'a' }], [{ name: 1 }]];
const PARTS = [{ name: 'a' }, { name: 'a', count: 1 }, { name: 'a', count: -1 }, { name: 1 }, {}, 'a', null];
const WHOLE = { apiVersion: 'v1', kind: 'Pod' };
const EMBEDDED = [
  WHOLE,
  { ...WHOLE, metadata: { name: 'a', labels: { a: 'b' } }, spec: { nodeName: 'n' }, any: [1] },
  { ...WHOLE, metadata: {} },
  { ...WHOLE, metadata: 'a' },
  { ...WHOLE, kind: '' },
  { ...WHOLE, apiVersion: 1 },
  { apiVersion: 'v1' },
  { kind: 'Pod' },
];
const KEYS = [
  [],
  [{ name: 'a', port: 1 }],
  [
    { name: 'a', port: 1, note: 'n' },
    { name: 'a', port: 2 },
  ],
  [
    { name: 'a', port: 1 },
    { name: 'a', port: 1, note: 'n' },
  ],
  [{ name: 'a' }],
  [{ name: 'a', port: 'b' }],
  [{ name: 'a', port: 1, note: 1 }],
  {},
];
const ANY = [null, ...TEXTS, ...NUMBERS, ...OTHERS, ...LISTS];

/** The kinds of fields about which class-validator and the API server agree, as the guide says. */
const KINDS: readonly FieldKind[] = [
  { decorators: [v.IsString()], values: ANY },
  { decorators: [v.IsString(), v.IsNotEmpty()], values: ANY },
  { decorators: [v.Length(1, 3)], values: ANY },
  { decorators: [v.MinLength(2), v.MaxLength(5)], values: ANY },
  { decorators: [v.Matches(/^[a-z]+(-\d)?$/)], values: ANY },
  { decorators: [v.Matches(/^ab/i), v.Matches(/c|1$/)], values: ANY },
  { decorators: [v.Contains('b')], values: ANY },
  { decorators: [v.IsAlpha()], values: TEXTS },
  { decorators: [v.IsAlphanumeric()], values: TEXTS },
  { decorators: [v.IsInt()], values: ANY },
  { decorators: [v.IsInt(), v.Min(1), v.Max(5)], values: ANY },
  { decorators: [v.IsInt(), v.IsDivisibleBy(2)], values: ANY },
  { decorators: [v.IsNumber(), v.IsPositive()], values: ANY },
  { decorators: [v.IsNumber(), v.IsNegative()], values: ANY },
  { decorators: [v.IsNumber(), v.Max(5)], values: ANY },
  { decorators: [v.IsBoolean()], values: ANY },
  { decorators: [v.IsIn(['a', 'ab'])], values: ANY },
  { decorators: [v.IsIn([1, 5])], values: ANY },
  { decorators: [v.IsString(), v.IsNotIn(['a', 'ab'])], values: ANY },
  { decorators: [v.IsString({ each: true }), v.IsArray()], values: ANY },
  { decorators: [v.IsInt({ each: true }), v.IsArray(), v.ArrayMaxSize(1)], values: ANY },
  { decorators: [v.IsString({ each: true }), v.ArrayUnique(), v.ArrayMinSize(1)], values: ANY },
  {
    decorators: [v.IsDefined(), v.ValidateNested(), Type(() => Part)],
    values: [{}, ...OTHERS.slice(4), { name: 'a', count: -1 }, { name: 'b', count: 1 }],
  },
  {
    decorators: [v.IsArray(), v.ValidateNested({ each: true }), Type(() => Part)],
    values: [...LISTS.slice(7), [], [{ name: 'a' }, {}]],
  },
  { decorators: [IntOrString()], values: ANY },
  { decorators: [Field({ mapOf: String })], values: [{}, { a: 'b' }, { a: 1 }, 'a', 1] },
  { decorators: [Field({ listOf: Number })], values: ANY },
  { decorators: [Field({ mapOf: Number })], values: [{}, { a: 1 }, { a: 1.5, b: 2 }, { a: 'b' }, 'a', 1] },
  { decorators: [Field({ listOf: String }), ListType('set'), v.ArrayUnique()], values: ANY },
  { decorators: [v.IsArray(), v.IsIn(['a', 'b'], { each: true }), v.ArrayMaxSize(2)], values: ANY },
  { decorators: [v.IsString(), v.IsIn(['a', 'ab']), v.MinLength(2)], values: ANY },
  // Defaults of all types, and of objects that have defaults themselves.
  { decorators: [v.IsString(), v.MinLength(2)], values: ANY, initial: 'ab' },
  { decorators: [v.IsBoolean()], values: ANY, initial: false },
  { decorators: [v.IsIn(['a', 'ab'])], values: ANY, initial: 'a' },
  { decorators: [IntOrString()], values: ANY, initial: '25%' },
  { decorators: [v.IsString({ each: true }), v.IsArray()], values: ANY, initial: ['a'] },
  { decorators: [Field({ mapOf: String })], values: [{}, { a: 'b' }, { a: 1 }, { a: null }, 'a'], initial: { a: 'b' } },
  { decorators: [v.IsDefined(), v.ValidateNested(), Type(() => Preset)], values: PARTS, initial: {} },
  // Lists that are merged in other ways than as sets.
  { decorators: [v.IsInt({ each: true }), v.IsArray(), ListType('atomic')], values: ANY },
  {
    decorators: [ListType('map', ['name', 'port']), v.IsArray(), v.ValidateNested({ each: true }), Type(() => Key)],
    values: KEYS,
  },
  { decorators: [Field({ listOf: Key }), ListType('map', ['name', 'port'])], values: KEYS },
  { decorators: [Field({ listOf: Part }), ListType('atomic')], values: [[], ...PARTS.map((part) => [part]), ...PARTS] },
  // Maps of objects, whole objects, and objects of any kind.
  { decorators: [Field({ mapOf: Part })], values: [{}, ...PARTS.map((part) => ({ a: part })), 'a', [PARTS[0]]] },
  { decorators: [Field({ mapOf: Boolean })], values: [{}, { a: true }, { a: 'true' }, { a: true, b: 1 }, true] },
  { decorators: [EmbeddedResource()], values: [...EMBEDDED, ...ANY] },
  { decorators: [PreserveUnknownFields()], values: [...OTHERS, ...PARTS, { any: [1, { a: null }] }, 'a', 1] },
];

/** The deepest nesting of classes by chance, beside `Part`. */
const DEPTH = 2;

/** A class with random fields, and random objects for it. */
export class RandomClass {
  readonly type: ObjectClass & (new () => object);
  private readonly fields: readonly FieldKind[];
  private readonly choices: RandomChoices;

  constructor(random: Random, depth = DEPTH) {
    this.choices = new RandomChoices(random);
    class Spec {}
    this.type = Spec;
    this.fields = this.choices.several(1, 3, () =>
      depth > 0 && this.choices.withProbability(0.3)
        ? this.createNested(new RandomClass(random, depth - 1))
        : this.choices.pick(KINDS),
    );
    for (const [index, { decorators, initial }] of this.fields.entries()) {
      const name = `field${index}`;
      const more = this.choices.weighted<PropertyDecorator[]>([
        [3, () => []],
        [2, () => [v.IsOptional()]],
        [1, () => [Nullable()]],
        [1, () => [Nullable(), v.IsOptional()]],
        [initial === undefined ? 0 : 3, () => [Default(initial)]],
        [initial === undefined ? 0 : 1, () => [Default(initial), Nullable()]],
      ]);
      for (const decorate of [...decorators, ...more]) decorate(Spec.prototype, name);
    }
    if (this.choices.withProbability(0.3)) {
      for (const decorate of [v.IsInt(), Default(1)]) decorate(Spec.prototype, 'counted');
    }
  }

  /** A field with an object of a random class, or with a list of such objects. */
  private createNested(inner: RandomClass): FieldKind {
    const objects = this.choices.several(4, 6, () => inner.createSpec());
    const nested = [v.ValidateNested(), Type(() => inner.type)];
    if (this.choices.withProbability(0.5)) return { decorators: [v.IsDefined(), ...nested], values: objects };
    const values = [[], objects.slice(0, 1), objects.slice(1, 3), {}];
    return { decorators: [v.IsArray(), v.ValidateNested({ each: true }), nested[1]], values };
  }

  /** A spec that the class takes or refuses. */
  createSpec(): Record<string, unknown> {
    const entries = this.fields.map(({ values }, index) => [`field${index}`, this.choices.pick(values)] as const);
    const kept = entries.filter(() => this.choices.withProbability(0.9));
    return Object.fromEntries(kept);
  }
}

/** The API server to ask about objects. */
export interface AskedServer {
  /** Creates the CRD, and waits until it is served. */
  define(definition: CustomResourceDefinition): Promise<void>;
  /** Asks about an object of the version `v1` without storing it; the error says why it is refused. */
  ask(plural: string, object: object): Promise<string | undefined>;
}

/** Rejections that are the API server's alone, as the guide says: keys of lists that come twice. */
const SERVER_ONLY = /Duplicate value: (map\[|\{)/;

/** Asks class-validator and an API server about random objects of random classes. */
export async function compareValidations(
  server: AskedServer,
  { classes, objects }: { readonly classes: number; readonly objects: number },
): Promise<{ readonly disagreements: readonly unknown[]; readonly accepted: number; readonly refused: number }> {
  const disagreements: unknown[] = [];
  let accepted = 0;
  for (let seed = 0; seed < classes; seed += 1) {
    const random = new RandomClass(new SeededRandom(seed));
    const kind = `Random${seed}`;
    const plural = `randoms${seed}`;
    @CustomResource({ group: 'example.com', kind, plural, spec: random.type })
    class Example {}
    await server.define(customResourceDefinition(Example));
    for (let index = 0; index < objects; index += 1) {
      const spec = random.createSpec();
      const errors = await v.validate(plainToInstance(random.type, spec), { forbidUnknownValues: false });
      const object = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' }, spec };
      const refusal = await server.ask(plural, object);
      if (refusal === undefined) accepted += 1;
      if ((refusal === undefined) === (errors.length === 0)) continue;
      if (errors.length === 0 && SERVER_ONLY.test(refusal!)) continue;
      const rules = errors.map(({ constraints, children }) => constraints ?? children);
      disagreements.push({ seed, spec, rules, refusal });
    }
  }
  return { disagreements, accepted, refused: classes * objects - accepted };
}
