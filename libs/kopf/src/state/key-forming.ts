import { blake2b } from '@noble/hashes/blake2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** The longest name of an annotation, without the prefix and its slash, that Kubernetes accepts. */
export const NAME_LIMIT = 63;

/**
 * Forms the annotation's key for an id as Kopf does now (V2): the name alone is limited to 63 characters;
 * longer ids are cut, and a hash of the whole id is appended.
 */
export function createV2Key(prefix: string, id: string): string {
  const suffix = lengthOf(id) > NAME_LIMIT ? createSuffix(id) : '';
  return `${prefix}/${take(replaceUnsafeCharacters(id), NAME_LIMIT - suffix.length)}${suffix}`;
}

/**
 * Forms the annotation's key for an id as older versions of Kopf did (V1): the whole key is limited to 63 characters.
 *
 * With prefixes of 56 characters and more the name can exceed what Kubernetes accepts; see {@link isNameTooLong}.
 */
export function createV1Key(prefix: string, id: string): string {
  const safe = replaceUnsafeCharacters(id);
  const limit = NAME_LIMIT - lengthOf(prefix) - 1;
  const suffix = lengthOf(safe) > limit ? createSuffix(safe) : '';
  return `${prefix}/${take(safe, limit - suffix.length)}${suffix}`;
}

/** The hash that replaces the tail of a long id: `-` and up to 6 characters, ending with a letter or a digit. */
export function createSuffix(id: string): string {
  const digest = blake2b(utf8ToBytes(id), { dkLen: 4 });
  const base64 = Buffer.from(digest).toString('base64').replaceAll('+', '-').replaceAll('/', '.');
  return `-${base64}`.replace(/[=.-]+$/, '');
}

/** Replaces the characters that ids have but names of annotations cannot: slashes and angle brackets, no others. */
export function replaceUnsafeCharacters(id: string): string {
  return id.replaceAll('/', '.').replaceAll('<', '_').replaceAll('>', '_');
}

/** Tells whether the name of an annotation, without its prefix, is longer than Kubernetes accepts. */
export function isNameTooLong(key: string): boolean {
  return key.length - key.indexOf('/') - 1 > NAME_LIMIT;
}

/** A negative count leaves out so many characters at the end, as slices in Python do. */
function take(text: string, count: number): string {
  return isBasic(text) ? text.slice(0, count) : Array.from(text).slice(0, count).join('');
}

/** Counts characters as Python does; JavaScript counts those beyond the basic plane twice. */
function lengthOf(text: string): number {
  return isBasic(text) ? text.length : Array.from(text).length;
}

function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}
