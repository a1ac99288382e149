import type { Patch } from '../objects/patches.js';
import { removeField, setField, type FieldPath } from '../objects/field-path.js';
import type { JsonMap } from '../objects/json.js';

/** Sets a field of the status, the spec, or the metadata in a patch. */
export function setInPatch(patch: Patch, path: FieldPath, value: unknown): void {
  setField(partOf(patch, path), path.slice(1), value);
}

/** Takes a field of the status, the spec, or the metadata out of a patch, as if it was never set. */
export function removeFromPatch(patch: Patch, path: FieldPath): void {
  removeField(partOf(patch, path), path.slice(1));
}

function partOf(patch: Patch, [root]: FieldPath): JsonMap {
  return patch[root as 'status' | 'spec' | 'metadata'] as JsonMap;
}
