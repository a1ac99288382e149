import { StatusError } from '../errors/status.error.js';
import { applyJsonPatch } from '../patching/json.patch.js';
import { applyMergePatch, assertMergePatch } from '../patching/merge.patch.js';
import { PatchError } from '../patching/patch.error.js';
import { applyStrategicMergePatch } from '../patching/strategic.patch.js';
import type { ObjectChange } from './object.updater.js';
import type { ServedResource } from '../resources/served.resource.js';

const REASONS: Readonly<Record<number, string>> = { 400: 'BadRequest', 413: 'RequestEntityTooLarge', 422: 'Invalid' };

/** Returns the change that a patch makes. The change throws a `StatusError` if the patch does not fit. */
export function patchChange(
  served: ServedResource,
  type: 'json' | 'merge' | 'strategic',
  patch: unknown,
): ObjectChange {
  return (current) => {
    try {
      if (type === 'json') return applyJsonPatch(current, patch);
      if (type === 'strategic') return applyStrategicMergePatch(current, patch, served.resource);
      assertMergePatch(patch);
      return applyMergePatch(current, patch);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      const details = error.code === 422 ? {} : undefined;
      throw new StatusError(error.code, REASONS[error.code] ?? '', error.message, details);
    }
  };
}
