import { JsonPatchError } from './patch.error.js';
import { getMember, isJsonObject, setMember, type JsonObject } from '../common/json.values.js';

/** An object or an array: what a pointer's tokens select from. */
export type JsonContainer = JsonObject | unknown[];

/** Splits a JSON pointer (RFC 6901) into its unescaped tokens; undefined for the pointer to the whole document. */
export function parsePointer(pointer: string): string[] | undefined {
  const tokens = pointer.split('/');
  if (tokens.length < 2) return undefined;
  return tokens.slice(1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Reads a member or an element; undefined where an object has no such member. Throws where an array has no such element. */
export function getChild(container: JsonContainer, token: string): unknown {
  return Array.isArray(container)
    ? container[arrayIndex(token, container.length, container.length)]
    : getMember(container, token);
}

/** Inserts into an array or sets the member of an object, on a container that may be changed. */
export function addChild(container: JsonContainer, token: string, value: unknown): void {
  if (!Array.isArray(container)) setMember(container, token, value);
  else if (token === '-') container.push(value);
  else container.splice(arrayIndex(token, container.length + 1, container.length + 1), 0, value);
}

/** Overwrites an element or a member, on a container that may be changed. */
export function replaceChild(container: JsonContainer, token: string, value: unknown): void {
  if (Array.isArray(container)) container[arrayIndex(token, container.length, container.length)] = value;
  else setMember(container, token, value);
}

/** Removes an element or an existing member, on a container that may be changed. */
export function removeChild(container: JsonContainer, token: string): void {
  if (Array.isArray(container)) {
    container.splice(arrayIndex(token, container.length, container.length), 1);
  } else if (Object.hasOwn(container, token)) {
    delete container[token];
  } else {
    throw new JsonPatchError('missing', 422, `Unable to remove nonexistent key: ${token}`);
  }
}

/** Follows all tokens but the last; undefined where the way ends early. */
export function findContainer(document: JsonContainer, tokens: string[] | undefined): JsonContainer | undefined {
  if (!tokens) return undefined;
  let container: JsonContainer = document;
  for (let depth = 0; depth < tokens.length - 1; depth++) {
    if (Array.isArray(container) && !isIndexOf(container, tokens[depth])) return undefined;
    const next = getChild(container, tokens[depth]);
    if (!isJsonObject(next) && !Array.isArray(next)) return undefined;
    container = next;
  }
  return container;
}

function isIndexOf(array: unknown[], token: string): boolean {
  const index = /^[+-]?\d+$/.test(token) ? Number(token) : NaN;
  return index >= -array.length && index < array.length;
}

function arrayIndex(token: string, limit: number, wrap: number): number {
  if (!/^[+-]?\d+$/.test(token)) {
    throw new JsonPatchError('invalid', 422, `value was not a proper array index: '${token}'`);
  }
  const index = Number(token);
  if (index >= limit || index < -wrap) {
    throw new JsonPatchError('invalid', 422, `Unable to access invalid index: ${index}`);
  }
  return index < 0 ? index + wrap : index;
}
