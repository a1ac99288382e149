/** A pattern that nearly all names match. */
const PLAIN = /^[\w~:-][\w.~:-]*$/;

/** A pattern of characters that no name can have: they would lead the path elsewhere, or end it. Lone surrogates cannot be sent at all. */
const FORBIDDEN = /[/\\%?#\p{Cc}\p{Cs}]/u;

/**
 * Explains why a value cannot be the name of an object, a namespace, or a subresource in a path. An empty name is the most dangerous one:
 * such a path means all objects, and a deletion would delete all of them.
 *
 * @returns `undefined` for a name. The name may still be invalid for its kind, which the API server checks.
 */
export function explainName(value: unknown): string | undefined {
  if (typeof value === 'string' && PLAIN.test(value)) return undefined;
  if (value === undefined) return 'is missing';
  if (typeof value !== 'string')
    return `is ${value === null ? 'null' : `of the type ${typeof value}`} instead of a text`;
  if (value === '') return 'is empty';
  if (value.trim() === '') return 'is blank';
  if (value !== value.trim()) return `begins or ends with a space: ${JSON.stringify(value)}`;
  if (value === '.' || value === '..') return `is "${value}", which leads to another path`;
  const [character] = FORBIDDEN.exec(value) ?? [];
  return character === undefined ? undefined : `has the character ${JSON.stringify(character)}, which no name can have`;
}

/**
 * Checks that a value can name one object, a namespace, or a subresource, before a request is made with it.
 *
 * @param what the place where the value was given: `KubeClient.get(): the argument name`.
 * @throws TypeError that names the violation.
 */
export function checkName(value: unknown, what: string): asserts value is string {
  const problem = explainName(value);
  if (problem !== undefined) throw new TypeError(`${what} ${problem}.`);
}

/**
 * Creates the field selector of the one object with a name. Characters with a meaning in selectors are escaped, as some kinds allow any
 * characters in names.
 *
 * @throws TypeError if the value is no name: an empty name would select all objects.
 */
export function selectName(name: unknown): string {
  checkName(name, 'The name of the selected object');
  return `metadata.name=${name.replaceAll(/[,=]/g, '\\$&')}`;
}

/** A pattern that few paths match: empty segments, dots as segments, escaped or odd characters, a slash at the end. */
const SUSPECT = /\/\.{0,2}(?:\/|$)|[%\\\s]/;

const NAMESPACES = 'namespaces';

/** The meaning of the segments of a path after the API version, if it has a namespace. */
const PARTS = ['keyword', 'namespace', 'resource', 'name'];

/** The subresource of pods, services, and nodes which any path can follow. */
const PROXY = 'proxy';

/**
 * Checks that no name in a path is empty, blank, or made of other segments, so that the path leads where its parts say, also if the
 * application has built it. The path of a proxied service can be anything.
 *
 * @param path with the query.
 * @throws TypeError before anything is sent.
 */
export function checkPath(method: string, path: string): void {
  const plain = withoutQuery(path);
  if (!SUSPECT.test(plain)) return;
  const { root, rest } = split(plain);
  const isNamespaced = rest[0] === NAMESPACES && rest.length > 2;
  const proxy = rest.indexOf(PROXY, isNamespaced ? 4 : 2);
  const words = isNamespaced ? PARTS : PARTS.slice(2);
  const refuse = (part: string, word = 'subresource'): void => {
    const problem = explainName(decode(part));
    if (problem !== undefined)
      throw new TypeError(`${method} ${plain} is not sent: the ${word} in the path ${problem}.`);
  };
  for (const part of root) refuse(part, 'API version');
  for (const [index, part] of (proxy < 0 ? rest : rest.slice(0, proxy)).entries()) refuse(part, words[index]);
}

/**
 * Checks that a path is that of one object, so that a request never writes or deletes all objects of a collection.
 *
 * @throws TypeError before anything is sent.
 */
export function checkObjectPath(method: string, path: string): void {
  if (isLong(path)) return;
  const plain = withoutQuery(path);
  const { rest } = split(plain);
  const isNamespaced = rest[0] === NAMESPACES && rest.length === 3 && !NAMESPACE_PARTS.includes(rest[2]);
  if (rest.length === 1 || isNamespaced) {
    throw new TypeError(`${method} ${plain} is not sent: it names no object, so that it would mean all of them.`);
  }
}

const [SLASH, QUESTION_MARK] = ['/', '?'].map((character) => character.charCodeAt(0));

/**
 * Checks whether a path has more segments than any path of a collection, like the paths of namespaced custom resources, which are written
 * most often.
 */
function isLong(path: string): boolean {
  let segments = 0;
  for (let index = 0; index < path.length; index++) {
    const code = path.charCodeAt(index);
    if (code === QUESTION_MARK) return false;
    // Only segments with a character after the slash count.
    if (code === SLASH && index + 1 < path.length && ++segments === 7)
      return path.charCodeAt(index + 1) !== QUESTION_MARK;
  }
  return false;
}

/** The subresources of namespaces. */
const NAMESPACE_PARTS = ['status', 'finalize'];

/** Splits a path into the segments of its API version, and those of its resource, namespace, and object. */
function split(plain: string): { readonly root: readonly string[]; readonly rest: readonly string[] } {
  const segments = plain.slice(1).split('/');
  const length = segments[0] === 'apis' ? 3 : segments[0] === 'api' ? 2 : segments.length;
  const [root, rest] = [segments.slice(0, length), segments.slice(length)];
  // Only discovery documents, and paths that are not of the API, may end with a slash.
  const end = rest.length === 0 ? root : rest;
  const isRoot = rest.length === 0 || (rest.length === 1 && rest[0] === '');
  if (isRoot && end.at(-1) === '') end.pop();
  return { root, rest };
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Whatever the path is meant to be, it has a character that no name can have.
    return segment;
  }
}
