import { PatchError } from './patch.error.js';
import { getMember, isJsonObject, jsonTypeName, setMember } from '../common/json.values.js';

/**
 * Applies a JSON merge patch (RFC 7386) and returns the result; the target stays as it is and shares what did not change.
 *
 * Where the real server differs from the RFC, the real server is followed: nulls inside the objects of an array are dropped too.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return Array.isArray(patch) ? withoutNulls(patch) : patch;
  if (!isJsonObject(target)) return withoutNulls(patch);
  const result = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setMember(result, key, applyMergePatch(getMember(result, key), value));
  }
  return result;
}

/**
 * Checks that a decoded merge patch is one for an object of the API.
 *
 * @throws PatchError (400) with the real server's message
 */
export function assertMergePatch(patch: unknown): void {
  if (patch === null) throw new PatchError(400, 'Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    const type = jsonTypeName(patch);
    throw new PatchError(
      400,
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) setMember(result, key, withoutNulls(member));
  }
  return result;
}
