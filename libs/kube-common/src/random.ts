import { randomFillSync } from 'node:crypto';

/** The source of randomness: jitter, shuffling, generated identities. Injected, so that a run can be repeated from a seed. */
export interface Random {
  /** A number in `[0, 1)`. */
  next(): number;
}

/** The bytes of one number: 53 bits. */
const NUMBER_SIZE = 7;

/** The machine's randomness, good enough for tokens. No other place of the library draws it. */
export class SystemRandom implements Random {
  /** Bytes for many numbers, as asking the machine takes much longer than reading them. */
  private readonly bytes = Buffer.alloc(NUMBER_SIZE * 128);
  private used = this.bytes.length;

  next(): number {
    const { bytes } = this;
    if (this.used === bytes.length) {
      randomFillSync(bytes);
      this.used = 0;
    }
    const at = this.used;
    this.used += NUMBER_SIZE;
    const value = (bytes.readUIntBE(at, 6) * 32 + (bytes.readUInt8(at + 6) & 31)) / 2 ** 53;
    // Bytes that tokens were made of must not stay in memory.
    bytes.fill(0, at, this.used);
    return value;
  }
}

/**
 * Repeatable randomness: the same seed gives the same numbers, on every machine. Not for secrets.
 *
 * `nestjs-kopf/testing` and `embedded-kube` give the same numbers for one seed.
 *
 * @example
 * const random = new SeededRandom(42);
 */
export class SeededRandom implements Random {
  private state: number;

  /** @param seed any integer; its lowest 32 bits count. */
  constructor(seed = 1) {
    this.state = seed >>> 0;
  }

  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }
}
