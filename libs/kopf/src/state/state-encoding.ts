import type { KubeObject } from '../objects/kube-object.js';
import { isMap, type JsonMap, parseJson, stringifyJson } from 'kube-common';
import type { WarningCallback } from './storages.js';

/** The pattern of a number that Python writes differently: below 0.0001, always with an exponent of at least two digits. */
const SMALL_FRACTION = /[:,[]-?(?:0\.0000|[\d.]+e-)/;

/** The pattern of texts, which are left unchanged, and of numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:e[+-]\d+)?/g;

/** Encodes a value to the bytes that Kopf would write: compact JSON in ASCII, with numbers as Python writes them. */
export function encodeState(value: unknown): string {
  const json = stringifyJson(value);
  const text = SMALL_FRACTION.test(json) ? json.replace(TOKENS, formatNumber) : json;
  return /[\u007f-\uffff]/.test(text) ? text.replace(/[\u007f-\uffff]/g, escapeCharacter) : text;
}

/**
 * Decodes a stored map.
 *
 * A map that cannot be decoded counts as absent and is reported: broken state must not block the handling of an object.
 *
 * @returns `undefined` if the map is absent or unreadable.
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
    value = parseJson(text);
  } catch {
    onWarning?.(`The stored state in ${place} is not JSON. It is ignored.`, body);
    return undefined;
  }
  if (isMap(value)) return value;
  if (value !== null) onWarning?.(`The stored state in ${place} is not a map. It is ignored.`, body);
  return undefined;
}

function formatNumber(token: string): string {
  const number = Number(token);
  if (!(number !== 0 && Math.abs(number) < 0.0001)) return token;
  return number.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
