import { randomBytes } from 'node:crypto';

/** The source of randomness: jitter, shuffling, generated identities. Injected, so that a run can be repeated from a seed. */
export interface Random {
  /** A number in `[0, 1)`. */
  next(): number;
}

/** The machine's randomness, good enough for tokens. */
export class SystemRandom implements Random {
  next(): number {
    const bytes = randomBytes(7);
    return (bytes.readUIntBE(0, 6) * 32 + (bytes[6]! & 31)) / 2 ** 53;
  }
}

/** Reproducible numbers from a seed (mulberry32). Not for secrets. */
export class SeededRandom implements Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
