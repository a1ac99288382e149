import { randomBytes } from 'node:crypto';
import type { Random } from './random.js';

/** The machine's randomness, good enough for tokens. */
export class SystemRandom implements Random {
  next(): number {
    const bytes = randomBytes(7);
    return (bytes.readUIntBE(0, 6) * 32 + (bytes[6]! & 31)) / 2 ** 53;
  }
}
