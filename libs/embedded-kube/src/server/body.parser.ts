import { load } from 'js-yaml';
import { badRequest, unsupportedMediaType } from '../errors/status.errors.js';
import type { ServedResource } from '../machinery/served.resource.js';

const OBJECT_TYPES = ['application/json', 'application/yaml'];
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** The kinds of patches. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** A decoded patch. */
export interface Patch {
  readonly type: PatchType;
  readonly value: unknown;
}

/**
 * Decodes an object.
 *
 * @throws StatusError 400 if the text cannot be read, 415 if its type is unknown
 */
export function parseObject(body: string, contentType: string | undefined, served: ServedResource): unknown {
  const type = mediaType(contentType) || 'application/json';
  if (!OBJECT_TYPES.includes(type)) throw unsupportedMediaType(OBJECT_TYPES);
  try {
    const value: unknown = type === 'application/json' ? JSON.parse(body) : load(body);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('json: not an object');
    return value;
  } catch (error) {
    const shown = body === '' ? '<empty>' : body.slice(0, 200);
    const problem = `couldn't get version/kind; json parse error: ${(error as Error).message} (${shown})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${served.resource.kind}): ${problem}`);
  }
}

/** Decodes options that a request may leave out. @throws StatusError 400 */
export function parseOptions(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

/** @throws StatusError 400, 415 */
export function parsePatch(body: string, contentType: string | undefined, served: ServedResource): Patch {
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(served.custom ? [] : [STRATEGIC_PATCH])];
  const type = mediaType(contentType);
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted);
  try {
    const value: unknown = JSON.parse(body);
    return { type: type === JSON_PATCH ? 'json' : type === MERGE_PATCH ? 'merge' : 'strategic', value };
  } catch (error) {
    throw badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]!.trim().toLowerCase();
}
