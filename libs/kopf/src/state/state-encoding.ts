import type { KubeObject } from '../objects/kube-object.js';
import { isMap, type JsonMap, parseJson, stringifyJson } from 'kube-common';
import type { WarningCallback } from './storages.js';

/** A number that Python writes with other digits: below 0.0001 it always has an exponent, of two digits at least. */
const SMALL_FRACTION = /[:,[]-?(?:0\.0000|[\d.]+e-)/;

/** Texts, to leave them alone, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:e[+-]\d+)?/g;

/** Encodes a value as Kopf does, byte by byte: compact JSON in ASCII, with numbers as Python writes them. */
export function encodeState(value: unknown): string {
  const json = stringifyJson(value);
  const text = SMALL_FRACTION.test(json) ? json.replace(TOKENS, formatNumber) : json;
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
