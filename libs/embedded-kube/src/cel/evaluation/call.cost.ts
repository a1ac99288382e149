import { CelMap, CelOpaque, type CelValue } from '../values/cel.value.js';

/** The costs of a character, of a character of a pattern, and of each new list, map or struct, in the real server's units. */
export const STRING_FACTOR = 0.1;
export const REGEX_FACTOR = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;
/** The length that is assumed for the patterns behind named formats. */
export const FORMAT_REGEX_SIZE = 128;
/** The cost of a request to the authorizer. */
export const AUTHORIZATION_COST = 350_000;

/** The functions that cost as little as reading a field. */
export const CHEAP_FUNCTIONS = new Set(
  (
    'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family ' +
    'isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger ' +
    'asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort ' +
    'getEscapedPath getQuery'
  ).split(' '),
);

/** The functions that read their argument once. */
export const READING_FUNCTIONS = new Set(
  'url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr ip isIP isCIDR quantity isQuantity semver isSemver'.split(
    ' ',
  ),
);

/** The functions on lists and strings that look at all items. */
export const TRAVERSING_FUNCTIONS = new Set('isSorted sum max min indexOf lastIndexOf'.split(' '));

const ORDER_OVERLOADS = /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/;

/** The functions whose cost is known only with their result. */
export const COSTS_BY_RESULT = new Set(['join', 'slice', 'reverse', 'lists.range']);

/**
 * Counts what one call costs.
 *
 * @param result the result, for {@link COSTS_BY_RESULT}
 */
export function callCost(name: string, overload: string, args: readonly CelValue[], result?: CelValue): number {
  if (name === 'check') return AUTHORIZATION_COST;
  if (name === 'ip' && overload === 'cidr_ip') return 1;
  if (CHEAP_FUNCTIONS.has(name)) return 1;
  if (READING_FUNCTIONS.has(name)) return traversal(sizeOf(args[0]!));
  if (TRAVERSING_FUNCTIONS.has(name)) return args.length > 0 ? deepTraversal(args[0]!) : 0;
  return libraryCost(name, overload, args, result) ?? standardCost(name, overload, args);
}

function libraryCost(
  name: string,
  overload: string,
  args: readonly CelValue[],
  result: CelValue = null,
): number | undefined {
  const [first, second] = args;
  switch (name) {
    case 'ip.isCanonical':
    case 'replace':
    case 'split':
      return traversal(sizeOf(first!) * 2);
    case 'join':
      return traversal(sizeOf(result) * 2);
    case 'find':
    case 'findAll':
      return regexCost(sizeOf(first!), sizeOf(second!));
    case 'validate':
      return regexCost(sizeOf(second!), FORMAT_REGEX_SIZE);
    case 'containsIP':
      return traversal(sizeOf(first!) * 2) + (overload.endsWith('_string') ? traversal(sizeOf(second!)) : 0);
    case 'containsCIDR': {
      const masked = traversal(sizeOf(first!) * 2) + traversal(sizeOf(first!)) + 1;
      return masked + (overload.endsWith('_string') ? traversal(sizeOf(second!)) : 0);
    }
    case 'sets.contains':
    case 'sets.intersects':
      return sizeOf(first!) * sizeOf(second!) + 1;
    case 'sets.equivalent':
      return sizeOf(first!) * sizeOf(second!) * 2 + 1;
    case 'slice':
    case 'reverse':
    case 'lists.range':
      return LIST_COST + sizeOf(result) + 1;
    case 'flatten':
      return LIST_COST + sizeOf(first!) * (typeof second === 'bigint' ? Number(second) : 1) + 1;
    case 'distinct':
    case 'sort':
      return comparisonCost(first!);
    case '@sortByAssociatedKeys':
      return comparisonCost(second!);
    case 'fieldSelector':
    case 'labelSelector':
      return (
        LIST_COST + traversal(sizeOf(second!)) + Math.ceil(Math.ceil(sizeOf(second!) * 0.5) * (LIST_COST + STRUCT_COST))
      );
    default:
      return name === '_==_' && first instanceof CelOpaque ? 1 : undefined;
  }
}

/** Returns the cost of comparing each item of a list with each other. Texts have to be read for that. */
function comparisonCost(list: CelValue): number {
  const [first] = list as readonly CelValue[];
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return LIST_COST + Math.ceil(sizeOf(list) ** 2 * (isText ? 2 + STRING_FACTOR : 2)) + 1;
}

function standardCost(name: string, overload: string, args: readonly CelValue[]): number {
  const [first, second] = args;
  if (name === '_==_' || name === '_!=_' || ORDER_OVERLOADS.test(overload)) {
    return traversal(Math.min(sizeOf(first!), sizeOf(second!)));
  }
  switch (overload) {
    case 'starts_with_string':
    case 'ends_with_string':
    case 'string_to_bytes':
    case 'bytes_to_string':
    case 'strings_quote':
    case 'string_format':
      return traversal(sizeOf(first!));
    case 'in_list':
      return sizeOf(second!);
    case 'add_string':
    case 'add_bytes':
      return traversal(sizeOf(first!) + sizeOf(second!));
    case 'matches_string':
      return regexCost(sizeOf(first!), sizeOf(second!));
    case 'contains_string':
      return traversal(sizeOf(first!)) * traversal(sizeOf(second!));
    default:
      return 1;
  }
}

function traversal(size: number): number {
  return Math.ceil(size * STRING_FACTOR);
}

function regexCost(size: number, pattern: number): number {
  return Math.ceil((1 + size) * STRING_FACTOR) * Math.ceil(pattern * REGEX_FACTOR);
}

/** Returns the size by which costs are counted: characters, items, or 1. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  return value instanceof CelMap || value instanceof CelOpaque ? value.size : 1;
}

/** Counts characters without making a list of them. */
export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code < 0xdc00) index += 1;
    count += 1;
  }
  return count;
}

function deepTraversal(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  if (Array.isArray(value)) return (value as CelValue[]).reduce<number>((sum, item) => sum + deepTraversal(item), 0);
  if (!(value instanceof CelMap)) return 1;
  let cost = 0;
  for (const key of value.keys()) cost += deepTraversal(key) + deepTraversal(value.get(key)!);
  return cost;
}
