import type { CelType } from './cel.type.js';

/**
 * A value of an expression. Integers are bigints, numbers are doubles; lists are arrays, of which those from objects can
 * have a {@link ListIdentity}.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | readonly CelValue[];

/** An unsigned integer: `1u`. */
export class CelUint {
  constructor(readonly value: bigint) {}
}

export class CelDuration {
  constructor(readonly nanoseconds: bigint) {}
}

export class CelTimestamp {
  /** @param nanoseconds since the epoch */
  constructor(readonly nanoseconds: bigint) {}
}

/** A type as a value: `int`, `type(self)`. */
export class CelTypeValue {
  constructor(readonly type: CelType) {}
}

/** A value that may be absent: `self.?a`. */
export class CelOptional {
  static readonly NONE = new CelOptional(undefined);

  constructor(readonly value: CelValue | undefined) {}
}

/** A value of a library's own type: a quantity, a URL. */
export abstract class CelOpaque {
  abstract readonly type: CelType;

  /** Compares with a value of the same type. */
  abstract equals(other: this): boolean;

  /** The size by which the cost of an operation is counted. */
  get size(): number {
    return 1;
  }
}

/** A map, or an object with declared fields. */
export abstract class CelMap {
  /** Set for an object with declared fields. */
  readonly structType?: CelType;

  abstract readonly size: number;

  abstract keys(): Iterable<CelValue>;

  abstract get(key: CelValue): CelValue | undefined;
}

/** A map that an expression makes. */
export class EntryMap extends CelMap {
  private readonly entries = new Map<string, readonly [CelValue, CelValue]>();

  constructor(entries: Iterable<readonly [CelValue, CelValue]> = []) {
    super();
    for (const entry of entries) this.entries.set(keyText(entry[0]), entry);
  }

  get size(): number {
    return this.entries.size;
  }

  has(key: CelValue): boolean {
    return this.entries.has(keyText(key));
  }

  set(key: CelValue, value: CelValue): void {
    this.entries.set(keyText(key), [key, value]);
  }

  *keys(): Iterable<CelValue> {
    for (const [key] of this.entries.values()) yield key;
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(keyText(key))?.[1];
  }
}

/** An object that an expression makes: `Object.spec{replicas: 1}`. */
export class StructValue extends EntryMap {
  constructor(
    override readonly structType: CelType,
    entries: Iterable<readonly [CelValue, CelValue]>,
  ) {
    super(entries);
  }
}

/** Returns the text of a key; equal numbers of different types are the same key. */
function keyText(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  return typeof key === 'boolean' ? `b${key}` : `n${String(key)}`;
}

/** The identity of the items of a list from an object: as a whole, or by some of their fields. */
export interface ListIdentity {
  readonly kind: 'set' | 'map';
  readonly keys: readonly string[];
}

const identities = new WeakMap<object, ListIdentity>();

export function identityOf(list: readonly CelValue[]): ListIdentity | undefined {
  return identities.get(list);
}

export function withIdentity(list: CelValue[], identity: ListIdentity | undefined): CelValue[] {
  if (identity) identities.set(list, identity);
  return list;
}
