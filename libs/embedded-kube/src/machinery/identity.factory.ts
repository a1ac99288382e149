import type { Random } from 'kube-common';

/** The alphabet of generated names: without vowels and look-alikes, as the real server's. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_LENGTH = 63;

/** The factory of uids and generated names. */
export class IdentityFactory {
  constructor(private readonly random: Random) {}

  /** Returns a UUID of version 4. */
  uid(): string {
    let hex = '';
    for (let index = 0; index < 4; index += 1) hex += this.word();
    const variant = ((parseInt(hex[16]!, 16) & 3) | 8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** Returns a name from a `generateName`. */
  name(base: string): string {
    let suffix = '';
    for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
      suffix += SUFFIX_ALPHABET[Math.floor(this.random.next() * SUFFIX_ALPHABET.length)]!;
    }
    return base.slice(0, GENERATED_LENGTH - SUFFIX_LENGTH) + suffix;
  }

  /** Returns a secret of 128 bits. */
  token(): string {
    return this.word() + this.word() + this.word() + this.word();
  }

  private word(): string {
    return Math.floor(this.random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  }
}
