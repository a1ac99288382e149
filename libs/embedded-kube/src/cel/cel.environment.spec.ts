import { CelCompilationError, CelEnvironment } from './cel.environment.js';
import { CelEvaluationError } from './values/cel.error.js';
import { DYN, INT, listOf, STRING, struct } from './values/cel.type.js';
import { type DeclaredType } from './values/declared.type.js';
import { fromJson, toJson } from './values/json.value.js';

const SPEC = struct(
  'Spec',
  new Map([
    ['replicas', INT],
    ['name', STRING],
    ['tags', listOf(STRING)],
  ] as const),
);

const environment = new CelEnvironment({ variables: { self: SPEC, any: DYN }, types: [SPEC] });

const SELF = { replicas: 3, name: 'web-1', tags: ['a', 'b'] };
const ANY = { count: 2, ratio: 1.5, list: [3, 1, 2], map: { x: 'y', 'a-b': 'z' }, nothing: null };

const declared: DeclaredType = {
  type: SPEC,
  fields: new Map(
    [...SPEC.fields!].map(([name, type]) => [name, { name, declared: { type, maxElements: 10, minSize: 1 } }]),
  ),
  maxElements: Infinity,
  minSize: 2,
};

function evaluate(expression: string): unknown {
  const { value } = environment.compile(expression).evaluate({ self: fromJson(SELF, declared), any: fromJson(ANY) });
  return toJson(value);
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CelCompilationError || error instanceof CelEvaluationError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('an expression', () => {
  it.each([
    ['1 + 2 * 3 - 4 / 2 % 3', 5],
    ['-1 - -2', 1],
    ['!true || !!true', true],
    ['1.5 * 2.0', 3],
    ['7u / 2u', 3],
    ['"a" + \'b\' + r"\\d" + """c"""', 'ab\\dc'],
    ['"\\u00e4\\x41\\101\\n"', 'äAA\n'],
    ["b'\\xff'", '/w=='],
    ['[1, 2] + [3]', [1, 2, 3]],
    ['{"a": 1, "b": 2}.b', 2],
    ['1 in [1, 2] && "x" in {"x": 1}', true],
    ['self.replicas == 3 ? "three" : "other"', 'three'],
    ['self.tags[1]', 'b'],
    ['any.map["a-b"]', 'z'],
    ['any.count == 2 && any.ratio > any.count - 1', true],
    ['any.nothing == null', true],
    ['has(any.count) && !has(any.missing)', true],
    ['has(self.name)', true],
    ['any.missing == 1 || true', true],
    ['false && any.missing == 1', false],
    ['dyn(1) == 1.0', true],
    ['type(1) == int && type("a") == string && type([]) == list', true],
    ['size("äöü") + [1, 2].size() + size({"a": 1})', 6],
    ['int("42") + int(3.9) + int(2u)', 47],
    ['string(1.5) + string(true) + string(3)', '1.5true3'],
    ['double("2.5")', 2.5],
    ['bytes("ab")', 'YWI='],
    ['duration("1h30m").getMinutes()', 90],
    ['timestamp("2024-02-03T04:05:06.5Z").getMonth()', 1],
    ['timestamp("2024-02-03T04:05:06Z").getHours("+02:00")', 6],
    ['timestamp("2024-07-03T04:05:06Z").getHours("Europe/Berlin")', 6],
    ['string(timestamp("2024-02-03T04:05:06.5Z") + duration("1.5s"))', '2024-02-03T04:05:08Z'],
    ['timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-02T00:00:00Z")', true],
  ])('should evaluate %s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });

  it.each([
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 2, 3].exists(x, x > 2)', true],
    ['[1, 2, 3].exists_one(x, x > 2)', true],
    ['[1, 2, 3].map(x, x * 2)', [2, 4, 6]],
    ['[1, 2, 3].map(x, x > 1, x * 2)', [4, 6]],
    ['[1, 2, 3].filter(x, x % 2 == 1)', [1, 3]],
    ['{"a": 1, "b": 2}.all(k, k != "c")', true],
    ['[any.missing, 1].exists(x, x == 1)', 'no such key: missing'],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[0, 1].all(x, 1 / x == 1)', 'division by zero'],
    ['[1, 2].all(i, v, v == i + 1)', true],
    ['{"a": 1}.exists(k, v, k == "a" && v == 1)', true],
    ['[4, 5].transformList(i, v, i + v)', [4, 6]],
    ['{"a": 1, "b": 2}.transformMap(k, v, v > 1, v * 10)', { b: 20 }],
    ['{"a": "x"}.transformMapEntry(k, v, {v: k})', { x: 'a' }],
    ['[[1, 2], [3]].map(l, l.map(x, x + size(l)))', [[3, 4], [4]]],
  ])('should evaluate the macro in %s', (expression, expected) => {
    const value = typeof expected === 'string' ? failure(() => evaluate(expression)) : evaluate(expression);
    expect(value).toEqual(expected);
  });

  it.each([
    ['any.?missing.orValue(5)', 5],
    ['any.?map.x.orValue("none")', 'y'],
    ['any[?"missing"].hasValue()', false],
    ['any.list[?1].orValue(0) + any.list[?9].orValue(0)', 1],
    ['optional.of(1).or(optional.none()).value()', 1],
    ['any.?count.optMap(x, x + 1).orValue(0)', 3],
    ['any.?map.optFlatMap(m, m.?x).orValue("")', 'y'],
    ['[?any.?count, ?any.?missing]', [2]],
    ['{?"a": any.?count, ?"b": any.?missing}', { a: 2 }],
    ['optional.ofNonZeroValue(0).hasValue()', false],
  ])('should evaluate the optional in %s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });

  it.each([
    ['"a,b,c".split(",").join("-")', 'a-b-c'],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"Hello".lowerAscii() + "x".upperAscii()', 'helloX'],
    ['"banana".indexOf("an", 2) + "banana".lastIndexOf("an")', 6],
    ['"banana".replace("an", "x", 1) + "ab".replace("", "_")', 'bxana_a_b_'],
    ['"banana".substring(1, 3) + "abc".charAt(1) + " x ".trim()', 'anbx'],
    ['"%s is %d or %.2f, %x %%".format([dyn("a"), 1, 2.5, 255])', 'a is 1 or 2.50, ff %'],
    ['"%s".format([[dyn(1), {"a": null}]])', '[1, {a: null}]'],
    ['strings.quote("a\\n")', '"a\\n"'],
    ['"web-12".matches("^web-[0-9]+$") && "ABC".matches("(?i)abc")', true],
    ['"a1b22".find("[0-9]+") + "a1b22".findAll("[0-9]+")[1]', '122'],
    ['[3, 1, 2].isSorted() || [3, 1, 2].sum() != 6 || [3, 1, 2].min() != 1 || [3, 1, 2].max() != 3', false],
    ['[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)', 2],
    [
      '[3, 1, 1].sort() + [1, 1].distinct() + [[4]].flatten() + [5, 6].slice(0, 1) + lists.range(2)',
      [1, 1, 3, 1, 4, 5, 0, 1],
    ],
    ['["bb", "a"].sortBy(word, size(word))', ['a', 'bb']],
    ['[3, 1, 2].sortBy(n, -n).first().value() + [3, 1, 2].sortBy(n, n).last().value()', 6],
    ['[1].slice(1, 1).first().hasValue()', false],
    ['sets.contains([1, 2], [2]) && sets.equivalent([1], [1, 1]) && sets.intersects([1, 2], [2, 3])', true],
    ['quantity("1Gi").isGreaterThan(quantity("500Mi")) && quantity("1k").asInteger() == 1000', true],
    ['quantity("1").add(quantity("500m")).sub(1).asApproximateFloat()', 0.5],
    ['isQuantity("1Gi") && !isQuantity("Gi") && sign(quantity("-1")) == -1', true],
    ['quantity("1000m") == quantity("1")', true],
    ['semver("1.2.3").isLessThan(semver("1.10.0")) && semver("v1.0", true).minor() == 0', true],
    ['isSemver("1.0") || semver("1.0.0-a").compareTo(semver("1.0.0")) != -1', false],
    ['ip("10.0.0.1").family() == 4 && ip("::1").isLoopback() && string(ip("2001:DB8::0:1")) == "2001:db8::1"', true],
    ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', true],
    ['string(cidr("10.1.2.3/8").masked()) + string(cidr("10.0.0.0/8").ip())', '10.0.0.0/810.0.0.0'],
    ['isIP("10.0.0.256") || isCIDR("10.0.0.0") || !ip.isCanonical("127.0.0.1")', false],
    ['url("https://a.b:80/c d?x=1&x=2").getHost()', 'a.b:80'],
    ['url("https://[::1]:80/c").getHostname() + url("https://a/b%20c").getEscapedPath()', '::1/b%20c'],
    ['url("https://a/b?x=1&x=2").getQuery()', { x: ['1', '2'] }],
    ['isURL("a b") || isURL("x")', false],
    ['!format.dns1123Label().validate("my-name").hasValue()', true],
    ['format.named("uuid").value().validate("x").value()', ['does not match the UUID format']],
  ])('should evaluate %s with the libraries of Kubernetes', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });

  it('should make objects of declared types', () => {
    expect(evaluate('Spec{replicas: 2, ?name: any.?missing}')).toEqual({ replicas: 2 });
  });
});

describe('an error in an expression', () => {
  it.each([
    ['self.nam == "a"', 'ERROR: <input>:1:5: undefined field \'nam\'\n | self.nam == "a"\n | ....^'],
    ['other', "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other\n | ^"],
    [
      'self.replicas == "a"',
      "ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'\n | self.replicas == \"a\"\n | ..............^",
    ],
    [
      'self.name.startsWith(1)',
      "ERROR: <input>:1:21: found no matching overload for 'startsWith' applied to 'string.(int)'\n | self.name.startsWith(1)\n | ....................^",
    ],
    [
      'self.replicas.all(x, true)',
      "ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.replicas.all(x, true)\n | ....^",
    ],
    ['1 && true', "ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | 1 && true\n | ^"],
    ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
    [
      'self.a +\n self.b',
      "ERROR: <input>:1:5: undefined field 'a'\n | self.a +\n | ....^\nERROR: <input>:2:6: undefined field 'b'\n |  self.b\n | .....^",
    ],
    ['"a".matches("(")', 'ERROR: <input>:1:13: invalid matches argument\n | "a".matches("(")\n | ............^'],
    [
      'nothing(1)',
      "ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')\n | nothing(1)\n | .......^",
    ],
  ])('should be told for %j', (expression, message) => {
    expect(failure(() => environment.compile(expression))).toBe(message);
  });

  it.each([
    ['any.missing', 'no such key: missing'],
    ['any.list[7]', 'index out of bounds: 7'],
    ['1 / 0', 'division by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['any.count < any.map.x', 'no such overload'],
    ['any.map.x.size() > 0 && any.count.size() > 0', 'no such overload'],
    ['int("x")', "type conversion error from 'string' to 'int'"],
    ['optional.none().value()', 'optional.none() dereference'],
    ['[].max() == 1', 'max called on empty list'],
    ['url("x")', 'URL parse error during conversion from string: parse "x": invalid URI for request'],
  ])('should be told for the evaluation of %j', (expression, message) => {
    expect(failure(() => evaluate(expression))).toBe(message);
  });
});

describe('the cost of an expression', () => {
  it.each([
    ['self.replicas > 1', 3],
    ['self.tags.all(t, t == "a")', 13],
    ['self.name.contains("ab")', 3],
    ['[1, 2, 3].all(x, x > 0)', 16],
  ])('should be counted for %s', (expression, cost) => {
    const program = environment.compile(expression);
    expect(program.evaluate({ self: fromJson(SELF, declared), any: fromJson(ANY) }).cost).toBe(cost);
  });

  it('should end an evaluation that takes too much', () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const program = environment.compile('any.all(x, any.all(y, any.all(z, x + y + z >= 0)))');
    expect(failure(() => program.evaluate({ any: fromJson(list) }))).toBe(
      'operation cancelled: actual cost limit exceeded',
    );
  });

  it.each([
    ['operators', (count: number) => `${'1 + '.repeat(count)}1 == 1`],
    ['fields', (count: number) => `any${'.a'.repeat(count)} == 1`],
    ['indices', (count: number) => `any${'[0]'.repeat(count)} == 1`],
    ['calls', (count: number) => `any${'.reverse()'.repeat(count)} == any`],
  ])('should have at most 250 %s that follow one another', (_name, repeated) => {
    expect(environment.compile(repeated(249)).expression).toHaveLength(repeated(249).length);
    expect(failure(() => environment.compile(repeated(250)))).toBe('ERROR: <input>:-1:0: max recursion depth exceeded');
  });

  it('should have at most 250 conditions within one another', () => {
    const repeated = (count: number): string => `${'true ? true : '.repeat(count)}true`;
    expect(evaluate(repeated(249))).toBe(true);
    expect(failure(() => environment.compile(repeated(250)))).toContain('expression recursion limit exceeded: 250');
  });

  it('should have any number of terms joined by && or ||, and of negations', () => {
    expect(evaluate(`${'true && '.repeat(10_000)}true`)).toBe(true);
    expect(evaluate(`${'false || '.repeat(10_000)}true`)).toBe(true);
    expect(evaluate(`${'!'.repeat(10_000)}true`)).toBe(true);
  });

  it('should end before a text is as long as no evaluation can read', () => {
    const program = environment.compile(`"aaaaaaaaaa"${'.replace("a", "aaaaaaaaaa")'.repeat(9)}.size() > 1`);
    expect(failure(() => program.evaluate({}))).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('should be compiled at once if macros use their target twice, one after another', () => {
    const program = environment.compile(`optional.of(1)${'.optMap(x, x)'.repeat(200)}.hasValue()`);
    expect(program.maxCost(declared)).toBeGreaterThan(1e50);
    expect(failure(() => program.evaluate({}))).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('should be estimated from the sizes that are declared', () => {
    const cost = (expression: string): number => environment.compile(expression).maxCost(declared);
    expect(cost('self.replicas > 1')).toBe(3);
    expect(cost('self.tags.all(t, t.startsWith("abcdefghijk"))')).toBe(2 + 10 * 6 + 1);
    expect(cost('any.all(x, x)')).toBe(Infinity);
  });
});
