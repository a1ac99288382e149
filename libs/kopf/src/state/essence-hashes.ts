import { blake2b } from '@noble/hashes/blake2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type ObjectDiff, diff, EMPTY_DIFF } from '../objects/diffs.js';
import type { Essence } from '../objects/essences.js';
import { isMap, stringifyJson } from 'kube-common';

/** No object has such a field on its top level: the server knows them all, and they are identifiers. */
const HASH_FIELD = '$essenceHash';

/** Replaces an essence that is too large to be stored by a hash, which still shows that something has changed. */
export function createHashedEssence(essence: Essence): Essence {
  const digest = blake2b(utf8ToBytes(stringifyJson(canonical(essence))), { dkLen: 32 });
  return { [HASH_FIELD]: `blake2b:${Buffer.from(digest).toString('base64')}` };
}

/** Tells whether a stored essence is only a hash: it has no fields to show as the older state. */
export function isHashedEssence(essence: Essence): boolean {
  return HASH_FIELD in essence;
}

/**
 * Compares the stored essence with the present one, as `diff()` does.
 *
 * If only a hash was stored, and it is of another essence, there is one difference: the whole essence appeared.
 * Reduced to a field, it says that the field was added, as nobody knows whether it has changed.
 */
export function compareEssences(stored: Essence, present: Essence): ObjectDiff {
  if (!isHashedEssence(stored)) return diff(stored, present);
  const hashed = createHashedEssence(present);
  return stored[HASH_FIELD] === hashed[HASH_FIELD] ? EMPTY_DIFF : [['add', [], null, present]];
}

/** The same value for all essences without a difference: fields sorted, and those with `null` left out, except inside of lists. */
function canonical(value: unknown, inList = false): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, true));
  if (!isMap(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inList || inner !== null);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, inner]) => [key, canonical(inner, inList)]));
}
