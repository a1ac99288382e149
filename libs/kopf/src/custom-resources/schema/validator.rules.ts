import { quotePattern, translatePattern } from './pattern.translation.js';
import type { SchemaNode } from './schema.node.js';

type Constraints = readonly unknown[];

/** The translation of a rule of class-validator to keywords of the schema. */
interface RuleTranslation {
  /** The type that the rule requires of the value. */
  readonly type?: SchemaNode['type'];
  /** Adds the keywords. */
  readonly apply?: (node: SchemaNode, constraints: Constraints) => void;
}

const text = (apply?: RuleTranslation['apply']): RuleTranslation => ({ type: 'string', apply });
const format = (name: string): RuleTranslation => text((node) => void (node.format = name));
const pattern = (expression: RegExp): RuleTranslation => text((node) => addPattern(node, translatePattern(expression)));
const list = (apply?: RuleTranslation['apply']): RuleTranslation => ({ type: 'array', apply });

/** Narrows a limit: of several, the strictest one counts. */
function limit(
  keyword: 'minimum' | 'minLength' | 'minItems' | 'minProperties' | 'maximum' | 'maxLength' | 'maxItems',
  value: unknown,
) {
  return (node: SchemaNode): void => {
    if (typeof value !== 'number') return;
    const known = node[keyword];
    const isStricter = known === undefined || (keyword.startsWith('min') ? value > known : value < known);
    if (!isStricter) return;
    node[keyword] = value;
    if (keyword === 'minimum') delete node.exclusiveMinimum;
    if (keyword === 'maximum') delete node.exclusiveMaximum;
  };
}

/** The rules of class-validator that a schema can express, by their names; only class-validator checks the others. */
const TRANSLATIONS: Readonly<Record<string, RuleTranslation>> = {
  isString: text(),
  isBoolean: { type: 'boolean' },
  isNumber: { type: 'number' },
  isInt: { type: 'integer' },
  isArray: list(),
  isObject: { type: 'object' },
  isNotEmptyObject: { type: 'object', apply: limit('minProperties', 1) },
  isDate: format('date-time'),

  min: { type: 'number', apply: (node, [value]) => limit('minimum', value)(node) },
  max: { type: 'number', apply: (node, [value]) => limit('maximum', value)(node) },
  isPositive: { type: 'number', apply: (node) => excludeZero(node, 'minimum') },
  isNegative: { type: 'number', apply: (node) => excludeZero(node, 'maximum') },
  isDivisibleBy: { type: 'number', apply: (node, [value]) => void (node.multipleOf = value as number) },
  isLatitude: { apply: (node) => limitTo(node, 90) },
  isLongitude: { apply: (node) => limitTo(node, 180) },

  minLength: text((node, [value]) => limit('minLength', value)(node)),
  maxLength: text((node, [value]) => limit('maxLength', value)(node)),
  isLength: text((node, [least, most]) => {
    limit('minLength', least)(node);
    limit('maxLength', most)(node);
  }),
  isNotEmpty: { apply: (node) => (node.type === 'string' ? limit('minLength', 1)(node) : undefined) },
  matches: text((node, [expression, flags]) => {
    const modifiers = typeof flags === 'string' ? flags : undefined;
    addPattern(node, translatePattern(new RegExp(expression as RegExp, modifiers)));
  }),
  contains: text((node, [seed]) => addPattern(node, quotePattern(String(seed)))),
  notContains: text((node, [seed]) => exclude(node, { pattern: quotePattern(String(seed)) })),
  isAlpha: pattern(/^[A-Z]+$/i),
  isAlphanumeric: pattern(/^[0-9A-Z]+$/i),
  isAscii: pattern(/^[\x00-\x7F]+$/),
  isHexadecimal: pattern(/^(0x|0h)?[0-9A-F]+$/i),
  isBooleanString: pattern(/^(true|false|1|0)$/),
  isNumberString: text((node, [options]) => {
    if (options === undefined) addPattern(node, '^[+-]?([0-9]*[.])?[0-9]+$');
  }),
  isPort: pattern(
    /^(?:[-+]?0|[+]?(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))$/,
  ),
  isSemVer: pattern(
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-z-][0-9a-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][0-9a-z-]*))*))?(?:\+([0-9a-z-]+(?:\.[0-9a-z-]+)*))?$/i,
  ),

  isBase64: format('byte'),
  isCreditCard: format('creditcard'),
  isDateString: format('date-time'),
  isIso8601: format('date-time'),
  isRFC3339: format('date-time'),
  isEmail: format('email'),
  isFqdn: format('hostname'),
  isHexColor: format('hexcolor'),
  isRgbColor: format('rgbcolor'),
  isMacAddress: format('mac'),
  isMongoId: format('bsonobjectid'),
  isUrl: format('uri'),
  isUuid: text((node, [version]) => {
    node.format = ['3', '4', '5'].includes(String(version)) ? `uuid${String(version)}` : 'uuid';
  }),
  isIsbn: text((node, [version]) => void (node.format = version ? `isbn${String(version)}` : 'isbn')),
  isIp: text((node, [version]) => {
    if (version) node.format = `ipv${String(version)}`;
    else node.anyOf = [{ format: 'ipv4' }, { format: 'ipv6' }];
  }),

  isIn: { apply: (node, [values]) => setEnum(node, values as Constraints) },
  isEnum: { apply: (node, [entity]) => setEnum(node, enumValues(entity as Record<string, unknown>)) },
  equals: { apply: (node, [value]) => setEnum(node, [value]) },
  isNotIn: { apply: (node, [values]) => exclude(node, { enum: [...(values as Constraints)] }) },
  notEquals: { apply: (node, [value]) => exclude(node, { enum: [value] }) },

  arrayMinSize: list((node, [value]) => limit('minItems', value)(node)),
  arrayMaxSize: list((node, [value]) => limit('maxItems', value)(node)),
  arrayNotEmpty: list(limit('minItems', 1)),
  arrayContains: list(),
  arrayNotContains: list(),
  // The API server compares scalars only; lists of objects are compared by keys: @ListType('map', …).
  arrayUnique: list((node, [identifier]) => {
    const isScalar = node.items?.type !== 'object' && node.items?.type !== 'array';
    if (identifier === undefined && isScalar) node['x-kubernetes-list-type'] = 'set';
  }),
};

/** The names of rules of class-validator that only texts satisfy, and that a schema cannot express. */
const TEXT_RULES =
  /^is(Ascii|BIC|Base(32|58)|BtcAddress|ByteLength|Currency|DataURI|Decimal|EAN|EthereumAddress|FullWidth|HSL|HalfWidth|Hash|IBAN|ISIN|ISO\w+|ISRC|ISSN|IdentityCard|Isin|Json|Jwt|Locale|Lowercase|MagnetURI|MilitaryTime|MimeType|MobilePhone|Multibyte|Octal|PassportNumber|PhoneNumber|PostalCode|StrongPassword|SurrogatePair|TaxId|TimeZone|Uppercase|VariableWidth)$/;

/** Finds the type that a rule requires; `undefined` if the rule is for values of several types, or unknown. */
export function typeOfRule(name: string, constraints: Constraints): SchemaNode['type'] {
  const translation = Object.hasOwn(TRANSLATIONS, name) ? TRANSLATIONS[name] : undefined;
  if (translation?.type) return translation.type;
  if (TEXT_RULES.test(name)) return 'string';
  if (name === 'isIn') return typeOfAll(constraints[0] as Constraints);
  if (name === 'isEnum') return typeOfAll(enumValues(constraints[0] as Record<string, unknown>));
  return name === 'equals' ? typeOfAll([constraints[0]]) : undefined;
}

/**
 * Adds a rule to the schema, whose type must be known before.
 *
 * @throws Error if a schema cannot express the rule; the text completes `uses …`.
 */
export function applyRule(node: SchemaNode, name: string, constraints: Constraints): void {
  if (Object.hasOwn(TRANSLATIONS, name)) TRANSLATIONS[name].apply?.(node, constraints);
}

/** Returns the decorator of a rule, as it is written in the code: `@IsInt`. */
export function decoratorOf(name: string): string {
  return `@${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function typeOfAll(values: Constraints): SchemaNode['type'] {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  if (types.size === 2 && types.has('integer') && types.has('number')) return 'number';
  const [type] = types;
  return types.size === 1 && ['string', 'integer', 'number', 'boolean'].includes(type)
    ? (type as SchemaNode['type'])
    : undefined;
}

/** Lists the values of an enum, without the names that the compiler adds to numeric ones. */
function enumValues(entity: Record<string, unknown>): unknown[] {
  return Object.entries(entity)
    .filter(([name]) => Number.isNaN(Number(name)))
    .map(([, value]) => value);
}

function setEnum(node: SchemaNode, values: Constraints): void {
  node.enum = node.enum ? node.enum.filter((value) => values.includes(value)) : [...values];
}

/** Adds a pattern. A schema has only one keyword for it, so that further patterns are combined. */
function addPattern(node: SchemaNode, expression: string): void {
  if (node.pattern === undefined) node.pattern = expression;
  else (node.allOf ??= []).push({ pattern: expression });
}

function exclude(node: SchemaNode, excluded: SchemaNode): void {
  if (node.not === undefined) node.not = excluded;
  else (node.allOf ??= []).push({ not: excluded });
}

function excludeZero(node: SchemaNode, keyword: 'minimum' | 'maximum'): void {
  const known = node[keyword];
  const isStricter = known !== undefined && (keyword === 'minimum' ? known > 0 : known < 0);
  if (isStricter) return;
  node[keyword] = 0;
  node[keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] = true;
}

function limitTo(node: SchemaNode, most: number): void {
  if (node.type !== 'number' && node.type !== 'integer') return;
  limit('minimum', -most)(node);
  limit('maximum', most)(node);
}
