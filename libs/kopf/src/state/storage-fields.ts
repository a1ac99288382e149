import type { Patch } from '../interfaces/patch.interface.js';
import { removeField, setField } from '../structs/field-path.js';
import type { FieldPath } from '../structs/field-path.js';
import type { JsonMap } from '../structs/json.js';

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
