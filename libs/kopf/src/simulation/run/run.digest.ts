import { createHash } from 'node:crypto';
import { stringifyJson } from '../../objects/exact-json.js';

/** Hashes everything that happens, in its order: two runs are the same, to the bit, if they have the same digest. */
export class RunDigest {
  private readonly hash = createHash('sha256');

  /** Adds an event: the values that it consists of, as JSON has them. */
  add(...values: readonly unknown[]): void {
    this.hash.update(stringifyJson(values)).update('\n');
  }

  /** The digest of what was added so far, in hexadecimal digits. */
  get value(): string {
    return this.hash.copy().digest('hex');
  }
}
