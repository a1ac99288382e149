// Regular expressions, CEL, schemas and selectors that take long, or are wrong.
import type { RandomChoices } from '../../support/generators/random.choices.js';
import { corrupt, jsonText, randomName, randomValue } from './value.fuzzer.js';

type Values = Record<string, unknown>;

/** Expressions over which engines that track back take exponential time, those that repeat much, and those that are none. */
// prettier-ignore
const PATTERNS = [
  '^(a+)+$', '(a|a)*b', '(a|aa)+$', '(.*)*x', '(.*a){20}', '(a*)*(a*)*(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y',
  '(a{1000}){1000}', 'a{0,1000}{0,1000}', '((a{100}){100}){100}', 'a{1001}', '(?:a?){500}a{500}', '(((((a*)*)*)*)*)*b', '[[:alpha:]]+',
  '(?P<n>x)', '(?i)ABC', '\\p{Greek}', '\\pZ*', '[^\\x00-\\x{10FFFF}]', '\\C', '\\Q.*\\E', '(?s).*', '(?U)a+', '(', ')', '[', '[z-a]',
  '*', 'a**', '\\', '\\1', '(?=a)', '(?<!a)', '(?>a)', '\\p{Nope}', '{,}', 'x{2,1}', '(?P<n', '\\x{110000}',
  '('.repeat(2000) + ')'.repeat(2000), 'a|'.repeat(5000), `[${'a-z'.repeat(3000)}]`, '(?:'.repeat(900) + 'a' + ')*'.repeat(900),
];
/** Texts for which such patterns are tried. */
const SUBJECTS = ['a'.repeat(40), `${'a'.repeat(5000)}!`, 'x'.repeat(30_000), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB', ''];
const VARIABLES = [
  'self',
  'oldSelf',
  'object',
  'oldObject',
  'request',
  'params',
  'authorizer',
  'x',
  'y',
  'variables.v',
  'self.list',
];
const FIELDS = [
  'text',
  'list',
  'map',
  'count',
  'spec',
  'metadata.name',
  'metadata',
  'items',
  '__proto__',
  'constructor',
];
// prettier-ignore
const FUNCTIONS = [
  'size()', 'matches("(a+)+$")', 'find("(a|a)*b")', 'findAll("a*")', 'split("")', 'split(",", 9999999)', 'join()', 'join("x")',
  'replace("", "xxxxxxxxxxxxxxxxxxxx")', 'lowerAscii()', 'substring(-1)', 'charAt(99999)', 'indexOf("a")', 'sum()', 'min()', 'max()',
  'isSorted()', 'sort()', 'distinct()', 'flatten()', 'flatten(100)', 'reverse()', 'slice(0, 999)', 'first()', 'last()', 'orValue(1)',
  'format([1])', 'startsWith("a")', 'contains("a")', 'getHost()', 'isGreaterThan(quantity("1"))', 'asInteger()', 'add(1)',
  'getSeconds()', 'group("").resource("pods").check("get").allowed()', 'hasValue()', 'value()', 'prefixLength()', 'containsIP("::1")',
  'major()',
];
const CALLS = [
  'size',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'duration',
  'timestamp',
  'quantity',
  'url',
  'ip',
  'cidr',
  'semver',
];
const CALLS_TOO = [
  'type',
  'dyn',
  'bool',
  'isURL',
  'isQuantity',
  'sets.contains',
  'has',
  'optional.of',
  'format.named',
  'nope',
];
const OPERATORS = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in', '??', '=', '!'];
// prettier-ignore
const LITERALS = [
  '1', '-1', '1u', '9223372036854775807', '-9223372036854775808', '1.5', '1e400', '0x7f', 'true', 'null', '""', "'a'", '"\\u0000"',
  'b"\\xff"', 'r"\\"', '"""x"""', '[]', '{}', '[1, 2]', '{"a": 1}', '[[1], [2]]', '{1: 1, 1: 2}', '{__proto__: 1}', 'Object{}', '"ä💥"',
];
const MACROS = ['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy', 'transformMap', 'nope'];

export function randomPattern(choices: RandomChoices): string {
  const pattern = choices.pick(PATTERNS);
  return choices.withProbability(0.2) ? corrupt(pattern.slice(0, 500), choices) : pattern;
}

export function randomSubject(choices: RandomChoices): string {
  return choices.pick(SUBJECTS);
}

/** An expression in CEL: mostly one that compiles, some that cost much, some that are no expression at all. */
export function randomExpression(choices: RandomChoices): string {
  return choices.weighted<string>([
    [6, () => expression(choices, 0)],
    [2, () => corrupt(expression(choices, 0), choices)],
    [1, () => `${'('.repeat(choices.pick([20, 300, 5000]))}true`],
    [1, () => `[${'1,'.repeat(5000)}1].all(x, [${'1,'.repeat(1000)}1].all(y, x == y))`],
    [1, () => `"${'a'.repeat(1000)}"${'.replace("a", "aaaaaaaaaa")'.repeat(8)}.size() > 1`],
    [1, () => `${'[1,2,3,4,5,6,7,8,9].map(x, '.repeat(12)}x${')'.repeat(12)}.size() > 0`],
    [1, () => `${'!'.repeat(3000)}true`],
    [1, () => `${'1 + '.repeat(5000)}1 == 1`],
    [1, () => `${'true ? '.repeat(500)}1${' : 2'.repeat(500)}`],
    [1, () => `self${'.a'.repeat(3000)}`],
    [1, () => `optional.of(self)${'.optMap(x, x)'.repeat(100)}.hasValue()`],
    [1, () => `"${'a'.repeat(20_000)}b".matches("${choices.pick(['(a+)+$', '(a|aa)+$', '(.*)*x'])}")`],
  ]);
}

function expression(choices: RandomChoices, depth: number): string {
  if (depth > 4 || choices.withProbability(0.2)) {
    return choices.pick(choices.withProbability(0.5) ? LITERALS : VARIABLES);
  }
  const inner = (): string => expression(choices, depth + 1);
  return choices.weighted<string>([
    [3, () => `${inner()} ${choices.pick(OPERATORS)} ${inner()}`],
    [3, () => `${inner()}.${choices.pick(FIELDS)}`],
    [3, () => `${inner()}.${choices.pick(FUNCTIONS)}`],
    [2, () => `${choices.pick([...CALLS, ...CALLS_TOO])}(${inner()})`],
    [2, () => `${inner()}.${choices.pick(MACROS)}(${choices.pick(['x', 'y'])}, ${inner()})`],
    [1, () => `${inner()}[${inner()}]`],
    [1, () => `(${inner()} ? ${inner()} : ${inner()})`],
    [1, () => `${inner()}.?${choices.pick(FIELDS)}`],
    [1, () => `[${inner()}, ${inner()}]`],
    [1, () => `{${inner()}: ${inner()}}`],
  ]);
}

/** A schema with limits, patterns and rules at any depth; some of it is wrong. */
export function randomSchema(choices: RandomChoices, depth = 0): Values {
  const type = choices.pick(['object', 'object', 'string', 'array', 'integer', 'number', 'boolean']);
  const schema: Values = { type };
  if (choices.withProbability(0.3)) schema['x-kubernetes-validations'] = choices.several(1, 2, () => rule(choices));
  if (choices.withProbability(0.1)) schema[choices.pick(ODD_KEYWORDS)] = choices.pick(ODD_VALUES);
  if (choices.withProbability(0.1)) schema['default'] = choices.pick<unknown>([1, 'a', {}, [], null, { a: { a: 1 } }]);
  if (type === 'string') {
    if (choices.withProbability(0.7)) schema['pattern'] = randomPattern(choices);
    if (choices.withProbability(0.3))
      schema['format'] = choices.pick(['date-time', 'uri', 'ipv4', 'byte', 'nope', 'email']);
    if (choices.withProbability(0.5)) schema['maxLength'] = choices.pick([10, 100_000, -1]);
  }
  if (type === 'array') schema['items'] = depth > 3 ? { type: 'string' } : randomSchema(choices, depth + 1);
  if (type === 'object' && depth <= 3) {
    if (choices.withProbability(0.2)) schema['additionalProperties'] = randomSchema(choices, depth + 1);
    else {
      const names = choices.several(1, 3, () =>
        choices.withProbability(0.1) ? randomName(choices) : choices.pick(FIELDS),
      );
      schema['properties'] = Object.fromEntries(names.map((name) => [name, randomSchema(choices, depth + 1)]));
    }
  }
  return schema;
}

// prettier-ignore
const ODD_KEYWORDS = [
  'x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-preserve-unknown-fields', 'required', 'enum', 'nullable',
  'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string', '$ref', 'allOf', 'not', 'oneOf', 'uniqueItems', 'maxItems', 'type',
];
const ODD_VALUES: readonly unknown[] = [
  true,
  'map',
  'set',
  ['a'],
  [],
  {},
  1,
  'x',
  [{ required: ['a'] }],
  null,
  -1,
  [1, 1],
];

function rule(choices: RandomChoices): Values {
  return {
    rule: randomExpression(choices),
    ...(choices.withProbability(0.2) && { messageExpression: randomExpression(choices) }),
    ...(choices.withProbability(0.2) && {
      fieldPath: choices.pick(['.a', '.list[0]', '.', "['a b']", '', '.__proto__']),
    }),
    ...(choices.withProbability(0.2) && { optionalOldSelf: true }),
  };
}

/** A label selector or a field selector, as it stands in a query. */
export function randomSelector(choices: RandomChoices): string {
  return choices.weighted<string>([
    [2, () => `a in (${'b,'.repeat(choices.pick([2, 3000]))}c)`],
    [2, () => corrupt('app=web,tier in (a, b),!gone,count>3,x!=y,z notin (q)', choices)],
    [1, () => `${'a=b,'.repeat(5000)}a=b`],
    [1, () => '('.repeat(5000)],
    [1, () => `metadata.name=${'x'.repeat(5000)}`],
    [1, () => corrupt('metadata.name=a,metadata.namespace!=b,spec.nodeName==c\\,d', choices)],
    [1, () => `${'a'.repeat(5000)}${' '.repeat(5000)}=`],
    [1, () => `${'!'.repeat(5000)}a`],
    [1, () => '\\'.repeat(5001)],
    [1, () => ' '.repeat(20_000)],
  ]);
}

/** A value for a schema: often of its type, and long. */
export function valueOf(schema: Values | undefined, choices: RandomChoices, depth = 0): unknown {
  if (!schema || depth > 6 || choices.withProbability(0.1)) return randomValue(choices, 3);
  const { type, properties, items, additionalProperties } = schema;
  if (type === 'string') return randomSubject(choices);
  if (type === 'array') {
    const item = valueOf(items as Values, choices, depth + 1);
    return Array.from({ length: jsonText(item).length > 100 ? 3 : choices.pick([0, 2, 5000]) }, () => item);
  }
  if (type !== 'object') return type === 'boolean' ? true : choices.pick([0, 1, -1, 2 ** 53, 1.5]);
  const fields = (properties ?? { a: additionalProperties ?? {} }) as Record<string, Values>;
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, valueOf(each, choices, depth + 1)]));
}

/** A policy or a webhook with expressions, or the binding of a policy: its plural name and the object. */
export function randomPolicy(choices: RandomChoices, count: number): [plural: string, object: Values] {
  const name = `p${count}`;
  const rules = [
    {
      apiGroups: [choices.pick(['', '*'])],
      apiVersions: ['*'],
      operations: ['*'],
      resources: [choices.pick(['*', 'configmaps', '*/*'])],
    },
  ];
  const conditions = choices.several(0, 2, (index) => ({ name: `c${index}`, expression: randomExpression(choices) }));
  const validations = choices.several(1, 2, () => ({
    expression: randomExpression(choices),
    messageExpression: randomExpression(choices),
  }));
  const variables = choices.several(0, 2, (index) => ({
    name: `v${index || ''}`,
    expression: randomExpression(choices),
  }));
  const selector = {
    matchExpressions: [{ key: 'a', operator: choices.pick(['In', 'Exists', 'Nope']), values: ['b'] }],
  };
  const spec = {
    matchConstraints: { resourceRules: rules, namespaceSelector: selector },
    matchConditions: conditions,
    variables,
    validations,
  };
  const webhooks = [
    {
      name: 'a.b.c',
      rules,
      matchConditions: conditions,
      clientConfig: { url: 'https://nowhere.invalid/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
    },
  ];
  const binding = {
    policyName: `p${choices.between(0, count)}`,
    validationActions: ['Deny'],
    matchResources: { objectSelector: selector },
  };
  const [plural, content] = choices.pick<[string, Values]>([
    ['validatingadmissionpolicies', { spec }],
    ['validatingadmissionpolicybindings', { spec: binding }],
    ['mutatingwebhookconfigurations', { webhooks }],
    ['validatingwebhookconfigurations', { webhooks }],
  ]);
  return [plural, { metadata: { name }, ...content }];
}
