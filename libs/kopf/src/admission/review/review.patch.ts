import type { KubeObject } from '../../objects/kube-object.js';
import { deepCopy, applyMergePatch } from '../../objects/json.js';
import { computeJsonPatch, type JsonPatchOperation } from '../../objects/json-patch.js';
import { applyTransformations, type ResourcePatch } from '../../objects/patches.js';

/** Makes the JSON patch that changes the reviewed object as the handlers want it: their fields are merged, then their transformations applied. */
export function createReviewPatch(body: KubeObject, patch: ResourcePatch): readonly JsonPatchOperation[] {
  const fields = patch.toMergePatch();
  const { transformations } = patch;
  if (!fields && transformations.length === 0) return [];
  let result = (fields ? applyMergePatch(body, fields) : body) as KubeObject;
  if (transformations.length > 0) result = deepCopy(result);
  applyTransformations(result, transformations);
  return computeJsonPatch(body, result);
}
