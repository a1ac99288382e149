import { CelSyntaxError } from '../cel/syntax/cel.issue.js';
import { type CelNode, qualifiedName } from '../cel/syntax/cel.node.js';
import { parseCel } from '../cel/syntax/cel.parser.js';
import { CelUint } from '../cel/values/cel.value.js';
import { StatusError } from '../errors/status.error.js';
import type { StoredObject } from '../storage/stored.object.js';

/** The fields by whose hashes objects are divided. */
const FIELDS: Readonly<Record<string, (object: StoredObject) => string>> = {
  'object.metadata.uid': ({ object }) => object.metadata.uid ?? '',
  'object.metadata.namespace': ({ namespace }) => namespace,
};
const FUNCTION = 'shardRange';
/** The bound after all hashes, 2^64. */
const END = '10000000000000000';
/** The numbers by which Go names the kinds of expressions. */
const KINDS = { call: 1, comprehension: 2, ident: 3, list: 4, literal: 5, map: 6, select: 7, struct: 8 } as const;

/** A range of hashes; the bounds are hexadecimal numbers of 16 digits, or {@link END}. */
interface ShardRange {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

/** A selector of the objects of a shard: those whose uid or namespace has a hash within one of some ranges. */
export class ShardSelector {
  private constructor(private readonly ranges: readonly ShardRange[]) {}

  /**
   * Reads a selector: `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`, or several of them with `||`.
   *
   * @throws StatusError 500, as the real server answers
   */
  static parse(text: string): ShardSelector {
    try {
      if (text.trim() === '') {
        throw new ShardError('empty shard selector is not allowed; omit the parameter for unfiltered lists');
      }
      return new ShardSelector([...rangesOf(parseCel(text))]);
    } catch (error) {
      if (error instanceof CelSyntaxError) throw invalidSelector(`CEL parse error: ${error.message}`);
      if (error instanceof ShardError) throw invalidSelector(error.message);
      throw error;
    }
  }

  /** The selector in the form that lists show. */
  get text(): string {
    return this.ranges.map(({ field, start, end }) => `${FUNCTION}(${field}, '0x${start}', '0x${end}')`).join(' || ');
  }

  matches(object: StoredObject): boolean {
    return this.ranges.some(({ field, start, end }) => {
      const hash = hashOf(FIELDS[field]!(object));
      return hash >= start && (end === END || hash < end);
    });
  }
}

/** The error for a text that is no selector of a shard. */
class ShardError extends Error {}

/** Returns the FNV-1a hash of 64 bits, as a hexadecimal number of 16 digits. */
export function hashOf(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 435, in halves that numbers can hold.
    const product = low * 435;
    high = (Math.imul(high, 435) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product % 2 ** 32;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function invalidSelector(problem: string): StatusError {
  return new StatusError(500, '', `invalid shard selector: ${problem}`);
}

function* rangesOf(node: CelNode): Generator<ShardRange> {
  if (node.kind === 'call' && node.name === '_||_') {
    for (const each of node.args) yield* rangesOf(each);
    return;
  }
  const name = node.kind === 'call' ? node.name : node.kind === 'select' && node.testOnly ? 'has' : undefined;
  if (name === undefined) {
    throw new ShardError(`unexpected expression kind ${KINDS[node.kind]}; expected shardRange() call or || operator`);
  }
  if (node.kind !== 'call' || name !== FUNCTION) {
    throw new ShardError(`unsupported function "${name}"; only shardRange() and || are allowed`);
  }
  const [path, start, end] = node.args;
  if (node.args.length !== 3 || !path || !start || !end) {
    throw new ShardError(`shardRange() requires exactly 3 arguments, got ${node.args.length}`);
  }
  const field = fieldOf(path);
  const range = { field, start: boundOf('hexStart', start), end: boundOf('hexEnd', end) };
  if (range.start >= range.end && range.end !== END) throw emptyRange(range);
  if (range.start === END) throw emptyRange(range);
  yield range;
}

function emptyRange({ start, end }: ShardRange): ShardError {
  return new ShardError(`shard range start 0x${start} must be less than end 0x${end}`);
}

function fieldOf(node: CelNode): string {
  const field = qualifiedName(node);
  if (field === undefined) {
    let root = node;
    while (root.kind === 'select') root = root.operand;
    const kind = KINDS[root.kind];
    throw new ShardError(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kind}`,
    );
  }
  if (Object.hasOwn(FIELDS, field)) return field;
  throw new ShardError(`unsupported field path "${field}"; supported: ${Object.keys(FIELDS).join(', ')}`);
}

/** Reads a bound, without its prefix. */
function boundOf(name: string, node: CelNode): string {
  if (node.kind !== 'literal') {
    throw new ShardError(`${name} must be a string literal (e.g. '0xff'), got expression kind ${KINDS[node.kind]}`);
  }
  const { value } = node;
  if (typeof value !== 'string') throw new ShardError(`${name} must be a string literal, got ${goTypeOf(value)}`);
  if (!value.startsWith('0x')) throw new ShardError(`${name} must have '0x' prefix, got ${JSON.stringify(value)}`);
  const digits = value.slice(2);
  if (digits === '') throw new ShardError(`${name}: hex value is required after '0x'`);
  const wrong = [...digits].find((digit) => !/[0-9a-f]/.test(digit));
  if (digits.length > 17) {
    throw new ShardError(`${name}: hex value too long (${digits.length} chars, max 17): ${JSON.stringify(digits)}`);
  }
  if (wrong !== undefined) {
    throw new ShardError(`${name}: invalid hex character ${JSON.stringify(wrong)} in ${JSON.stringify(value)}`);
  }
  if (digits.length === 17 && digits !== END) {
    throw new ShardError(`${name}: 17-digit hex value must be '0x${END}' (2^64), got ${JSON.stringify(value)}`);
  }
  if (digits.length < 16) {
    const meant = `0x${digits.padStart(16, '0')}`;
    throw new ShardError(
      `${name} must be a 0x-prefixed 16-digit hex value, got ${JSON.stringify(value)} (did you mean "${meant}"?)`,
    );
  }
  return digits;
}

/** Returns the name that Go has for the type of a literal. */
function goTypeOf(value: unknown): string {
  if (value === null) return 'structpb.NullValue';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return 'float64';
  if (value instanceof Uint8Array) return '[]uint8';
  return value instanceof CelUint ? 'uint64' : 'bool';
}
