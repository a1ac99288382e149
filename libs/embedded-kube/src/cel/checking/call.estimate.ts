import type { CelType } from '../values/cel.type.js';
import {
  AUTHORIZATION_COST,
  CHEAP_FUNCTIONS,
  FORMAT_REGEX_SIZE,
  LIST_COST,
  READING_FUNCTIONS,
  REGEX_FACTOR,
  STRING_FACTOR,
  STRUCT_COST,
  TRAVERSING_FUNCTIONS,
} from '../evaluation/call.cost.js';
import { type CostRange, exactly, ONE, product, scaled, sum } from './cost.range.js';

/** An argument of a call, with the size that it can have. */
export interface Operand {
  readonly size: CostRange;
  readonly type: CelType;
  /** The size of the items of a list. */
  readonly element: CostRange;
  readonly constant?: unknown;
}

/** The cost of a call, with the size of its result if that is known. */
export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange;
}

/** Estimates what one call costs, without its arguments. Operands include a member's target. */
export function estimateCall(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const [first, second, third] = operands;
  if (name === 'check') return { cost: exactly(AUTHORIZATION_COST) };
  if ((name === 'ip' && overload === 'cidr_ip') || CHEAP_FUNCTIONS.has(name)) return { cost: ONE };
  if (READING_FUNCTIONS.has(name)) {
    const cost = scaled(first!.size, STRING_FACTOR);
    return ['url', 'lowerAscii', 'upperAscii', 'substring', 'trim'].includes(name)
      ? { cost, size: first!.size }
      : { cost };
  }
  if (TRAVERSING_FUNCTIONS.has(name)) return { cost: traversal(first!) };
  switch (name) {
    case 'replace':
      return {
        cost: scaled(first!.size, 2 * STRING_FACTOR),
        size: replacedSize(first!.size, second!.size, third!.size),
      };
    case 'split': {
      const max = typeof third?.constant === 'bigint' ? Number(third.constant) : first!.size.max;
      return { cost: scaled(first!.size, 2 * STRING_FACTOR), size: { min: 0, max } };
    }
    case 'join':
      return join(first!, second);
    case 'find':
    case 'findAll':
      return { cost: matching(first!.size, second!.size), size: { min: 0, max: first!.size.max } };
    case 'ip.isCanonical':
      return { cost: scaled(first!.size, 2 * STRING_FACTOR) };
    case 'sets.contains':
    case 'sets.intersects':
      return { cost: sum(product(first!.size, second!.size), ONE) };
    case 'sets.equivalent':
      return { cost: sum(scaled(product(first!.size, second!.size), 2), ONE) };
    case 'slice':
      return allocated(exactly(constantOr(third, first!.size.max) - constantOr(second, 0)));
    case 'lists.range':
      return allocated(exactly(constantOr(first, Infinity)));
    case 'reverse':
      return allocated(first!.size);
    case 'flatten':
      return allocated(first!.size, second ? constantOr(second, Infinity) : 1);
    case 'distinct':
      return allocated(product(first!.size, first!.size), 2);
    case 'sort':
      return compared(first!);
    case '@sortByAssociatedKeys':
      return compared(second!);
    case 'containsIP':
    case 'containsCIDR':
      return { cost: containment(name, overload, second!) };
    case 'validate':
      return { cost: scaled(scaled(second!.size, STRING_FACTOR), FORMAT_REGEX_SIZE * REGEX_FACTOR) };
    case 'fieldSelector':
    case 'labelSelector': {
      const requirements = scaled(scaled(second!.size, 0.5), LIST_COST + STRUCT_COST);
      return { cost: sum(exactly(LIST_COST), scaled(second!.size, STRING_FACTOR), requirements) };
    }
    default:
      return (name === '_==_' ? equality(first!, second!) : undefined) ?? standard(name, overload, operands);
  }
}

/** Returns the cost of a function that makes a list: the list, and its items. */
function allocated(size: CostRange, factor = 1): CallEstimate {
  return { cost: sum(scaled(size, factor), exactly(LIST_COST), ONE), size };
}

/** Returns the cost of comparing all items of a list with each other. */
function compared({ size, type }: Operand): CallEstimate {
  const kind = type.parameters[0]?.kind;
  return allocated(product(size, size), kind === 'string' || kind === 'bytes' ? 2 + STRING_FACTOR : 2);
}

function constantOr(operand: Operand | undefined, other: number): number {
  return typeof operand?.constant === 'bigint' ? Number(operand.constant) : other;
}

function standard(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const [first, second] = operands;
  if (name === '_==_' || name === '_!=_' || /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/.test(overload)) {
    const max = Math.min(first!.size.max, second!.size.max);
    return { cost: scaled({ min: max > 0 ? 1 : 0, max }, STRING_FACTOR) };
  }
  switch (overload) {
    case 'string_format':
    case 'strings_quote':
      return { cost: scaled(first!.size, STRING_FACTOR) };
    case 'string_to_bytes':
      return { cost: scaled(first!.size, STRING_FACTOR), size: { min: first!.size.min, max: first!.size.max * 4 } };
    case 'bytes_to_string':
      return {
        cost: scaled(first!.size, STRING_FACTOR),
        size: { min: Math.floor(first!.size.min / 4), max: first!.size.max },
      };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scaled(second!.size, STRING_FACTOR) };
    case 'in_list':
      return { cost: second!.size };
    case 'matches_string':
      return { cost: matching(first!.size, second!.size) };
    case 'contains_string':
      return { cost: product(scaled(first!.size, STRING_FACTOR), scaled(second!.size, STRING_FACTOR)) };
    case 'add_list':
      return { cost: ONE, size: sum(first!.size, second!.size) };
    case 'add_string':
    case 'add_bytes': {
      const size = sum(first!.size, second!.size);
      return { cost: scaled(size, STRING_FACTOR), size };
    }
    default:
      return { cost: ONE };
  }
}

function traversal({ type, size, element }: Operand): CostRange {
  if (type.kind !== 'list') return scaled(size, STRING_FACTOR);
  const kind = type.parameters[0]!.kind;
  const each = kind === 'string' || kind === 'bytes' ? sum(ONE, scaled(element, STRING_FACTOR)) : ONE;
  return product(size, each);
}

function matching(text: CostRange, pattern: CostRange): CostRange {
  return product(scaled(sum(text, ONE), STRING_FACTOR), scaled(pattern, REGEX_FACTOR));
}

function join({ size, element }: Operand, separator: Operand | undefined): CallEstimate {
  const items = product(size, element);
  const gaps = { min: Math.max(size.min - 1, 0), max: Math.max(size.max - 1, 0) };
  const joined = separator ? sum(items, product(separator.size, gaps)) : items;
  return { cost: scaled(joined, STRING_FACTOR), size: joined };
}

function containment(name: string, overload: string, { size }: Operand): CostRange {
  const bytes = { min: 4, max: 16 };
  const compared = scaled(sum(bytes, bytes), STRING_FACTOR);
  const masked = name === 'containsCIDR' ? sum(compared, scaled(bytes, STRING_FACTOR), ONE) : compared;
  return overload.endsWith('_string') ? sum(masked, scaled(size, STRING_FACTOR)) : masked;
}

/** Returns the cost of comparing two values; values of libraries have a fixed size. */
function equality(left: Operand, right: Operand): CallEstimate | undefined {
  if (left.type.text !== right.type.text) return undefined;
  if (left.type.name === 'kubernetes.URL') {
    return { cost: scaled({ min: 1, max: right.size.max === Infinity ? 1 : right.size.max }, STRING_FACTOR) };
  }
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, STRING_FACTOR) };
  return /^(?:net\.|kubernetes\.)/.test(left.type.name) ? { cost: ONE } : undefined;
}

/** Returns the size of a text in which parts are replaced: the most is where the longest replacement stands as often as possible. */
function replacedSize(text: CostRange, old: CostRange, next: CostRange): CostRange {
  const [mostReplaced, mostKept] = replacements(text.max, old.min, next.max <= old.min);
  const [leastReplaced, leastKept] = replacements(text.min, old.max, old.max <= next.min);
  return sum(product({ min: leastReplaced, max: mostReplaced }, next), { min: leastKept, max: mostKept });
}

function replacements(text: number, old: number, keepsLength: boolean): readonly [replaced: number, kept: number] {
  if (old === 0) return [text + 1, text];
  return keepsLength ? [0, text] : [Math.ceil(text / old), 0];
}
