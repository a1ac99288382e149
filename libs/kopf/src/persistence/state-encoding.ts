import type { KubeObject } from '../interfaces/kube-object.interface.js';
import { isMap } from '../structs/json.js';
import type { JsonMap } from '../structs/json.js';
import type { WarningCallback } from './storage-options.js';

/** Encodes a value as Kopf does: compact JSON in ASCII. */
export function encodeState(value: unknown): string {
  const text = JSON.stringify(value);
  return /[\u007f-\uffff]/.test(text) ? text.replace(/[\u007f-\uffff]/g, escapeCharacter) : text;
}

/**
 * Decodes a stored map.
 *
 * What cannot be decoded counts as absent and is reported: state broken by somebody must not block an object for ever.
 *
 * @returns `undefined` if there is none, or it is unreadable.
 */
export function decodeState(
  text: unknown,
  place: string,
  body: KubeObject,
  onWarning?: WarningCallback,
): JsonMap | undefined {
  if (typeof text !== 'string') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    onWarning?.(`The stored state in ${place} is not JSON. It is ignored.`, body);
    return undefined;
  }
  if (isMap(value)) return value;
  if (value !== null) onWarning?.(`The stored state in ${place} is not a map. It is ignored.`, body);
  return undefined;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
