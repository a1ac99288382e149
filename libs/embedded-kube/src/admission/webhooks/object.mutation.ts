import { internalError } from '../../errors/status.errors.js';
import { DecodingError } from '../../errors/field.error.js';
import type { KubeObject, Draft } from '../../resources/kube-object.js';
import { decodeMetadata } from '../../machinery/metadata.decoder.js';
import { parseJson } from 'kube-common';
import { applyJsonPatch } from '../../patching/json.patch.js';
import { jsonEqual, isMapping } from '../../common/json.values.js';
import { PatchError } from '../../patching/patch.error.js';
import type { AdmissionView } from './matching/admission.view.js';
import { jsonProblem } from './review/response.decoder.js';
import { CallingError } from './review/webhook.errors.js';
import type { ReviewResponse } from './review/admission.review.js';

/**
 * Applies the patch of a webhook to the object of a write, in place, and sets defaults again.
 *
 * @returns whether it changed anything
 * @throws CallingError if it is no patch
 * @throws StatusError 500 if it does not fit
 */
export function mutate(webhook: string, view: AdmissionView, { patch, patchType }: ReviewResponse): boolean {
  if (!patch) return false;
  const operations = parsePatch(webhook, patch);
  if (operations.length === 0) return false;
  const { attributes, object: before } = view;
  if (!attributes.object || !before) {
    throw internalError(
      `admission webhook ${JSON.stringify(webhook)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') throw new CallingError(webhook, `unsupported patch type ${JSON.stringify(patchType)}`);
  return replaceObject(view, patched(before, operations));
}

/**
 * Replaces the object of a write by a mutated one, in place, and sets defaults again.
 *
 * @param mutated in the version of the view
 * @returns whether that changed anything
 */
export function replaceObject(view: AdmissionView, mutated: unknown): boolean {
  const before = view.object;
  replace(view.attributes.object!, convert(view, decode(view, mutated)));
  view.invalidate();
  return !jsonEqual(view.object, before);
}

function parsePatch(webhook: string, patch: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = parseJson(patch);
  } catch {
    throw new CallingError(webhook, `received undecodable patch in webhook response: ${jsonProblem(patch)}`);
  }
  if (parsed === null) return [];
  if (Array.isArray(parsed)) return parsed;
  const type = typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  const reason = `json: cannot unmarshal ${type} into Go value of type jsonpatch.Patch`;
  throw new CallingError(webhook, `received undecodable patch in webhook response: ${reason}`);
}

function patched(object: KubeObject, operations: unknown[]): unknown {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof PatchError) throw internalError(error.detail);
    throw error;
  }
}

function decode({ attributes, served }: AdmissionView, value: unknown): Draft {
  const body = isMapping(value) ? value : {};
  if (attributes.kind) return body as unknown as Draft;
  try {
    const metadata = decodeMetadata(body['metadata'], served.custom, []);
    return served.strategy.decode({ ...body, apiVersion: served.apiVersion, kind: served.resource.kind, metadata }, []);
  } catch (error) {
    if (error instanceof DecodingError) throw internalError(error.message);
    throw error;
  }
}

/** Brings the object back into the version of the request. */
function convert({ attributes, served }: AdmissionView, draft: Draft): Draft {
  if (attributes.kind || attributes.served === served) return draft;
  const object = attributes.served.fromStorage(served.toStorage(draft as KubeObject));
  return { ...object, metadata: { ...object.metadata } };
}

function replace(object: Draft, next: Draft): void {
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, next);
}
