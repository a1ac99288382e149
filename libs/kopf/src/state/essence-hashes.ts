import { blake2b } from '@noble/hashes/blake2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type ObjectDiff, diff, EMPTY_DIFF } from '../objects/diffs.js';
import type { Essence } from '../objects/essences.js';
import { isMap, stringifyJson } from 'kube-common';

/**
 * The field of a hashed essence. No object has a top-level field of this name: the API server drops unknown fields, and field names are
 * identifiers.
 */
const HASH_FIELD = '$essenceHash';

/** Replaces an essence that is too large to be stored by a hash, by which changes are still detected. */
export function createHashedEssence(essence: Essence): Essence {
  const digest = blake2b(utf8ToBytes(stringifyJson(canonical(essence))), { dkLen: 32 });
  return { [HASH_FIELD]: `blake2b:${Buffer.from(digest).toString('base64')}` };
}

/** Whether a stored essence is only a hash, so that there is no older state to show. */
export function isHashedEssence(essence: Essence): boolean {
  return HASH_FIELD in essence;
}

/**
 * Compares the stored essence with the present one, as `diff()` does.
 *
 * If only a hash was stored, and the essence has changed, the diff has one operation: the whole essence was added. Reduced to a field, it
 * says that the field was added, as it is unknown whether that field has changed.
 */
export function compareEssences(stored: Essence, present: Essence): ObjectDiff {
  if (!isHashedEssence(stored)) return diff(stored, present);
  const hashed = createHashedEssence(present);
  return stored[HASH_FIELD] === hashed[HASH_FIELD] ? EMPTY_DIFF : [['add', [], null, present]];
}

/** Returns the same value for all essences without a difference: fields are sorted, and those with `null` are left out, except in lists. */
function canonical(value: unknown, inList = false): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, true));
  if (!isMap(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inList || inner !== null);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, inner]) => [key, canonical(inner, inList)]));
}
