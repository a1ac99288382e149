import { createHmac } from 'node:crypto';
import type { Essence } from '../objects/essences.js';
import { deepEqual, isMap, stringifyJson } from 'kube-common';
import { parseFieldPath, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { replaceValues } from '../objects/redaction.js';
import type { DiffBaseStorage } from './storages.js';

/** The fields of one kind of objects that are stored as digests. */
export interface DigestedFields {
  /** The API version of the objects: `v1`, `kopf.dev/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The fields, including all nested ones; `*` stands for any name on its level, or any item of a list. */
  readonly fields: readonly FieldSpec[];
}

/** Options of {@link DigestDiffBaseStorage}. */
export interface DigestDiffBaseStorageOptions {
  /**
   * The keys, each of at least 16 bytes. Digests are created with the first key, and verified with all keys: to change the key, put the new
   * one before the old one.
   */
  readonly keys: readonly (string | Uint8Array)[];
  /** The fields that are stored as digests. An empty list is the way back to values in clear text. */
  readonly fields: readonly DigestedFields[];
}

/** The prefix of a digest in a stored essence. */
const PREFIX = 'hmac-sha256:';

const DIGEST = /^hmac-sha256:([\w-]+):[\w-]+$/;

/** The fewest bytes of a key: a shorter one could be guessed. */
const KEY_SIZE = 16;

/** The length of a salt in characters of 6 bits. */
const SALT_SIZE = 12;

/**
 * The storage of the last handled essence with keyed digests (HMAC-SHA256) in the place of values, so that the stored essence of a Secret
 * does not reveal them. Changes are detected as before, each with its path. In `old` and in diffs, handlers see the digest of a value that
 * has changed. Python Kopf cannot verify digests: it takes the fields for changed.
 *
 * Essences that were stored in clear text are read unchanged, and are stored as digests with the next change of their objects.
 *
 * @example
 * settings.persistence.diffbaseStorage = new DigestDiffBaseStorage(new AnnotationsDiffBaseStorage(), {
 *   keys: [process.env.DIGEST_KEY],
 *   fields: [{ apiVersion: 'v1', kind: 'Secret', fields: ['data'] }],
 * });
 */
export class DigestDiffBaseStorage implements DiffBaseStorage {
  private readonly rules: readonly { readonly type: string; readonly patterns: readonly FieldPath[] }[];
  readonly #keys: readonly (string | Uint8Array)[];

  /**
   * @param storage the storage of the essence with digests.
   * @throws TypeError if there is no key, a key is too short, a field is malformed, or the storage replaces essences by hashes.
   */
  constructor(
    private readonly storage: DiffBaseStorage,
    { keys, fields }: DigestDiffBaseStorageOptions,
  ) {
    if (keys.length === 0 || !keys.every(isKey)) {
      throw new TypeError(`DigestDiffBaseStorage needs one key at least, and keys of ${KEY_SIZE} bytes at least.`);
    }
    if ((storage as { readonly oversize?: unknown }).oversize === 'hash') {
      throw new TypeError(
        "DigestDiffBaseStorage does not go together with the option oversize: 'hash' of its storage.",
      );
    }
    this.#keys = keys;
    this.rules = fields.map(({ apiVersion, kind, fields: specs }) => ({
      type: `${apiVersion}/${kind}`,
      patterns: specs.map(parseFieldPath),
    }));
  }

  ownFields(body: KubeObject): readonly FieldPath[] {
    return this.storage.ownFields?.(body) ?? [];
  }

  build(body: KubeObject, extraFields: readonly FieldPath[]): Essence {
    return this.storage.build(body, extraFields);
  }

  /** Reads the stored essence. Digests of unchanged values are replaced by the values, so that they do not count as differences. */
  fetch(body: KubeObject): Essence | undefined {
    const essence = this.storage.fetch(body);
    return essence && this.reveal(essence, body);
  }

  store(body: KubeObject, patch: Patch, essence: Essence): void {
    this.storage.store(body, patch, this.conceal(essence, body));
  }

  conceal(essence: Essence, body: KubeObject): Essence {
    const type = `${body.apiVersion}/${body.kind}`;
    const patterns = this.rules.filter((rule) => rule.type === type).flatMap((rule) => rule.patterns);
    const [key] = this.#keys;
    return replaceValues(essence, patterns, (value, path) =>
      digestOf(value, path, key, saltOf(body, path, key)),
    ) as Essence;
  }

  reveal(essence: Essence, body: KubeObject): Essence {
    return this.revealAt(essence, body, []) as Essence;
  }

  isCopied(body: KubeObject): boolean {
    return this.storage.isCopied?.(body) ?? false;
  }

  migrate(body: KubeObject, patch: Patch): void {
    this.storage.migrate?.(body, patch);
  }

  claim(body: KubeObject, patch: Patch): void {
    this.storage.claim?.(body, patch);
  }

  /**
   * Replaces digests of unchanged values in all fields, not only in those of the options, as the options may have changed since the essence
   * was stored.
   */
  private revealAt(stored: unknown, present: unknown, path: FieldPath): unknown {
    if (typeof stored === 'string') return stored.startsWith(PREFIX) ? this.compare(stored, present, path) : stored;
    if (Array.isArray(stored)) {
      const items = Array.isArray(present) ? (present as unknown[]) : [];
      return stored.map((item, at) => this.revealAt(item, items[at], [...path, String(at)]));
    }
    if (!isMap(stored)) return stored;
    const fields = isMap(present) ? present : {};
    const reveal = (name: string): unknown => this.revealAt(stored[name], fields[name], [...path, name]);
    return Object.fromEntries(Object.keys(stored).map((name) => [name, reveal(name)]));
  }

  private compare(stored: string, present: unknown, path: FieldPath): unknown {
    const [, salt] = DIGEST.exec(stored) ?? [];
    if (salt === undefined || present === undefined || deepEqual(stored, present)) return stored;
    return this.#keys.some((key) => digestOf(present, path, key, salt) === stored) ? present : stored;
  }
}

function isKey(key: unknown): boolean {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= KEY_SIZE;
}

/**
 * Computes the salt of a field. It differs between objects, so that equal values have different digests; a copy of an essence keeps its
 * salts, so that it can be compared.
 */
function saltOf({ metadata: { uid = '' } }: KubeObject, path: FieldPath, key: string | Uint8Array): string {
  return sign(key, ['salt', uid, ...path]).slice(0, SALT_SIZE);
}

function digestOf(value: unknown, path: FieldPath, key: string | Uint8Array, salt: string): string {
  return `${PREFIX}${salt}:${sign(key, [salt, ...path, stringifyJson(sorted(value))])}`;
}

function sign(key: string | Uint8Array, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

/** Returns the same value with the fields of its maps sorted, as API servers do not keep their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
