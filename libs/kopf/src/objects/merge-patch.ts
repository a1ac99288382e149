import { isMap, setKey } from './json.js';
import type { JsonMap } from './json.js';

/**
 * Applies a merge patch (RFC 7386): `null` removes a field, maps are merged, everything else replaces what was there.
 *
 * Neither the value nor the patch is changed; the result shares with them what the patch does not concern.
 */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: JsonMap = isMap(value) ? { ...value } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) delete result[key];
    else setKey(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, change));
  }
  return result;
}
