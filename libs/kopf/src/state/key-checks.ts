import { formKeys } from './annotation-keys.js';
import { createV2Key } from './key-forming.js';
import { DEFAULT_PREFIX } from './storage-options.js';

/** Matches the names that Kubernetes accepts for annotations, without the prefix. */
const VALID_NAME = /^[a-z0-9]([-_.a-z0-9]{0,61}[a-z0-9])?$/i;

/** Names that the storages use for themselves, by default. */
const RESERVED_IDS = ['last-handled-configuration', 'last-handled-configuration-uid', 'touch-dummy', 'kopf-managed'];

/** Ids that share an annotation, so that each would find the other's progress. */
export interface KeyCollision {
  readonly key: string;
  readonly ids: readonly string[];
}

/**
 * Finds the handlers' ids of one resource that would share an annotation with each other, or with what the storages keep.
 *
 * Keys are formed as Kopf forms them, where `/` becomes `.`, and angle brackets become `_`: so `a/b` and `a.b` are one key,
 * and the second handler would never run. Better not to start with such ids.
 *
 * @param options.v1 whether the keys of older versions of Kopf are in use, too. @default true
 */
export function findKeyCollisions(ids: Iterable<string>, { prefix = DEFAULT_PREFIX, v1 = true } = {}): KeyCollision[] {
  const idsByKey = new Map<string, string[]>();
  for (const id of [...RESERVED_IDS, ...new Set(ids)]) {
    for (const key of formKeys(prefix, id, v1).readable) {
      const sharing = idsByKey.get(key);
      if (sharing) sharing.push(id);
      else idsByKey.set(key, [id]);
    }
  }
  return [...idsByKey].filter(([, sharing]) => sharing.length > 1).map(([key, sharing]) => ({ key, ids: sharing }));
}

/**
 * Finds the handlers' ids that cannot be kept in annotations: the server would refuse the patch.
 * Names must begin and end with a letter or a digit, and have only letters, digits, `-`, `_`, `.`; ids can also have `/`.
 */
export function findInvalidIds(ids: Iterable<string>): string[] {
  return [...ids].filter((id) => !VALID_NAME.test(createV2Key('', id).slice(1)));
}
