import type { CustomResourceDefinition } from 'nestjs-kopf/crd';

/** A rule in CEL, with the schema of the value that it is for. */
export interface CostlyRule {
  /** The cause of the costs. */
  readonly title: string;
  readonly schema: object;
  readonly rule: string;
  readonly optionalOldSelf?: boolean;
  /** The number of values that an object can have: so many that the rule is too expensive. */
  readonly items: number;
  /** The factor by which the API server finds it too expensive, as Kubernetes 1.36 reports it. */
  readonly factor: number;
}

const text = (maxLength?: number): object => ({ type: 'string', ...(maxLength !== undefined && { maxLength }) });
const integer = { type: 'integer' };
const list = (items: object, maxItems?: number, more: object = {}): object => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
  ...more,
});
const map = (additionalProperties: object, maxProperties?: number): object => ({
  type: 'object',
  additionalProperties,
  ...(maxProperties !== undefined && { maxProperties }),
});
const object = (properties: object): object => ({ type: 'object', properties });
const named = (name: object): object => ({ type: 'object', required: ['name'], properties: { name } });
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

type Row = readonly [
  title: string,
  schema: object,
  rule: string,
  items: number,
  more?: { readonly factor?: number; readonly optionalOldSelf?: boolean },
];

const ROWS: readonly Row[] = [
  ['a text with a limit', text(1000), 'self.startsWith("abc")', 100_000_000],
  ['a text without a limit', text(), 'self.startsWith("abc")', 100_000_000],
  ['a search in a text', text(1000), 'self.contains("abc")', 498_753],
  ['a search in a text without a limit', text(), 'self.contains("abc")', 636],
  ['a regular expression', text(253), 'self.matches("^[a-z]+(-[a-z]+)*$")', 391_389],
  ['a regular expression for a text without a limit', text(), 'self.matches("^[a-z]+$")', 318],
  ['a pattern of the value itself', text(64), '"abc".matches(self)', 3_076_923],
  ['what a regular expression finds', text(300), 'self.find("[0-9]+") == "1"', 819_672],
  ['all that a regular expression finds', text(300), 'self.findAll("[0-9]+").all(x, x.size() < 5)', 26_867],
  ['a changed text', text(500), 'self.lowerAscii() == self', 497_512],
  ['a replaced text', text(500), 'self.replace("a", "bb") != self', 332_226],
  ['the parts of a text', text(200), 'self.split(",").all(x, x.size() < 10)', 40_306],
  ['joined texts', list(text(20), 30), 'self.join(",").size() < 100', 813_008],
  ['texts put together', text(400), '(self + "x" + self).contains("ab")', 248_447],
  ['a formatted text', text(100), '"%s-%s".format([self, self]) == "a-a"', 14_285_714],
  ['values of an enumeration', { type: 'string', enum: ['a', 'bcd'] }, 'self in ["a", "b", "c"]', 14_285_714],
  ['times', { type: 'string', format: 'date-time' }, 'self < timestamp("2030-01-01T00:00:00Z")', 66_666_667],
  ['durations', { type: 'string', format: 'duration' }, 'self < duration("5m")', 66_666_667],
  ['bytes', { type: 'string', format: 'byte', maxLength: 400 }, 'self == b"abc"', 100_000_000],
  ['numbers', integer, 'self > 1 && self * 2 < 100 || self % 7 == 3', 25_000_000],
  ['a list with a limit', list(integer, 100), 'self.all(x, x > 0)', 398_406],
  ['a list without a limit', list(integer), 'self.all(x, x > 0)', 25, { factor: 19.7 }],
  ['a macro in a macro', list(integer, 100), 'self.all(x, self.exists_one(y, x == y))', 4_926],
  ['three macros in one another', list(integer, 15), 'self.all(x, self.all(y, self.exists(z, x + y == z)))', 7_092],
  ['mapped and filtered items', list(integer, 80), 'self.map(x, x * 2).filter(x, x > 10).size() < 5', 85_288],
  ['sums and orders of lists', list(integer, 80), 'self.sum() < 100 && self.isSorted() && self.max() < 50', 816_327],
  ['a place in a list of texts', list(text(30), 40), 'self.indexOf("abc") < 3 && "x" in self', 355_240],
  ['lists of lists', list(list(text(10), 20), 20), 'self.all(x, x.all(y, y.contains("a")))', 60_569],
  ['a macro with two variables', list(integer, 60), 'self.all(i, x, i < x)', 552_486],
  ['a list put together', list(integer, 50), '(self + self).all(x, x > 0)', 396_825],
  ['objects of a list', list(named(text()), 20), 'self.all(x, x.name != "")', 1_960_784],
  ['sets', list(text(20), 30, { 'x-kubernetes-list-type': 'set' }), 'sets.contains(self, ["a", "b"])', 2_777_778],
  ['a map with a limit', map(text(30), 50), 'self.all(k, self[k].startsWith("a"))', 568_182],
  ['a map without a limit', map(integer), 'self.all(k, k != "a")', 111],
  ['maps of lists', map(list(integer, 10), 20), 'self.all(k, self[k].all(x, x > 0))', 175_131],
  ['keys of maps', map(text(50)), '"abc" in self && self["abc"].size() > 2', 33_333_333],
  ['optional fields', object({ a: integer, b: text(40) }), 'has(self.a) && self.?b.orValue("") == "x"', 40_000_000],
  ['the dearer side of a condition', text(90), 'self == "a" ? self.contains("b") : self.matches("c+")', 5_000_000],
  ['a transition', text(300), 'self == oldSelf', 1_639_344],
  ['a transition of a list', list(text(20), 30), 'self == oldSelf', 40_000_000],
  ['a transition of an object', object({ a: text(50), b: integer }), 'self == oldSelf', 100_000_000],
  ['a transition of a keyed list', list(named(text(9)), 9, keyed), 'self.all(x, oldSelf.exists(y, y == x))', 375_235],
  [
    'an optional transition',
    integer,
    'oldSelf.hasValue() ? self >= oldSelf.value() : true',
    33_333_333,
    { optionalOldSelf: true },
  ],
  ['quantities', text(64), 'quantity(self).isGreaterThan(quantity("1Gi"))', 6_896_552],
  ['sums of quantities', text(64), 'quantity(self).add(quantity("1")).compareTo(quantity("5")) < 0', 6_250_000],
  ['addresses', text(64), 'isIP(self) && ip(self).family() == 4', 3_571_429],
  ['networks', text(64), 'cidr("10.0.0.0/8").containsIP(self)', 6_250_000],
  ['URLs', text(200), 'url(self).getHost() == "example.com"', 2_380_952],
  ['formats', text(64), '!format.dns1123Label().validate(self).hasValue()', 239_234],
  ['versions', text(64), 'isSemver(self) && semver(self).isGreaterThan(semver("1.0.0"))', 3_571_429],
  [
    'numbers or texts',
    { 'x-kubernetes-int-or-string': true, maxLength: 50 },
    'type(self) == int ? self < 5 : self == "x"',
    8_000_000,
  ],
];

/** Rules over all shapes of values and all libraries of functions; but for what is said, the API server reports the factor 20.0. */
export const COSTLY_RULES: readonly CostlyRule[] = ROWS.map(([title, schema, rule, items, more]) => ({
  title,
  schema,
  rule,
  items,
  factor: 20,
  ...more,
}));

/** Makes a CRD with nothing but the rule. */
export function definitionWith({ schema, rule, optionalOldSelf, items }: Omit<CostlyRule, 'factor'>) {
  const value = { ...schema, 'x-kubernetes-validations': [{ rule, ...(optionalOldSelf && { optionalOldSelf }) }] };
  const values = {
    type: 'array',
    maxItems: items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
  };
  const each = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, value } };
  const spec = { type: 'object', properties: { values: { ...values, items: each } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'examples.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'examples', singular: 'example', kind: 'Example', listKind: 'ExampleList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as unknown as CustomResourceDefinition;
}
