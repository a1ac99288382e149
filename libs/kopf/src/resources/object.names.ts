/** Matches nearly all names that there are. */
const PLAIN = /^[\w~:-][\w.~:-]*$/;

/** Matches characters that no name can have: they would lead a path elsewhere, or end it. Lone surrogates cannot be sent at all. */
const FORBIDDEN = /[/\\%?#\p{Cc}\p{Cs}]/u;

/**
 * Explains why a value cannot stand in a path as the name of an object, of a namespace, or of a subresource. An empty name is the worst of
 * them: without it, a path means all objects, and a deletion deletes all of them.
 *
 * @returns `undefined` for a name. It may still not be a valid one of its kind, which the API server judges.
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
 * @param what where the value was given: `KubeClient.get(): the argument name`.
 * @throws TypeError which says what is wrong with it.
 */
export function checkName(value: unknown, what: string): asserts value is string {
  const problem = explainName(value);
  if (problem !== undefined) throw new TypeError(`${what} ${problem}.`);
}

/**
 * The field selector of the one object with a name. What has a meaning in selectors is escaped, as some kinds allow any characters in names.
 *
 * @throws TypeError for what is no name: an empty one would select by nothing.
 */
export function selectName(name: unknown): string {
  checkName(name, 'The name of the selected object');
  return `metadata.name=${name.replaceAll(/[,=]/g, '\\$&')}`;
}

/** Matches what most paths do not have: empty segments, dots as segments, escaped or odd characters, a slash at the end. */
const SUSPECT = /\/\.{0,2}(?:\/|$)|[%\\\s]/;

const NAMESPACES = 'namespaces';

/** What the segments of a path stand for after the API version, if they name a namespace. */
const PARTS = ['keyword', 'namespace', 'resource', 'name'];

/** The subresource of pods, services, and nodes behind which any path can follow. */
const PROXY = 'proxy';

/**
 * Checks that a path leads where its parts say, whoever has built it: that no name in it is empty, blank, or made of other segments. The path
 * of a proxied service may be anything.
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
 * Checks that a path names one object, so that nothing is written to all objects of a collection, or deleted with it.
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

/** Checks whether a path has more segments than any path of a collection, as those of custom resources in namespaces have, which are written most. */
function isLong(path: string): boolean {
  let segments = 0;
  for (let index = 0; index < path.length; index++) {
    const code = path.charCodeAt(index);
    if (code === QUESTION_MARK) return false;
    // Each segment counts that has a character behind its slash.
    if (code === SLASH && index + 1 < path.length && ++segments === 7)
      return path.charCodeAt(index + 1) !== QUESTION_MARK;
  }
  return false;
}

/** The subresources of namespaces themselves. */
const NAMESPACE_PARTS = ['status', 'finalize'];

/** Splits a path into the segments of its API version, and those of its resource, namespace, and object. */
function split(plain: string): { readonly root: readonly string[]; readonly rest: readonly string[] } {
  const segments = plain.slice(1).split('/');
  const length = segments[0] === 'apis' ? 3 : segments[0] === 'api' ? 2 : segments.length;
  const [root, rest] = [segments.slice(0, length), segments.slice(length)];
  // Only documents of discovery, and what is not of the API, may end with a slash.
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
    // Whatever it is to mean, it has a character that no name can have.
    return segment;
  }
}
