/**
 * The deepest nesting that is read. The real server's limit is 10,000; at that depth, recursive code would overflow JavaScript's stack.
 */
export const NESTING_LIMIT = 1000;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [91, 93, 123, 125];

/**
 * Counts the members of all objects in a text of JSON, repeated ones included: one look at each character outside of texts.
 *
 * @throws Error if it is nested too deeply
 */
export function countMembers(text: string): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COLON) members += 1;
    else if (code === OPEN_MAP || code === OPEN_LIST) {
      depth += 1;
      if (depth > NESTING_LIMIT) throw new Error(`invalid character '${text[at]}' exceeded max depth`);
    } else if (code === CLOSE_MAP || code === CLOSE_LIST) depth -= 1;
  }
  return members;
}

/** Counts the members of all objects in a value that was parsed: fewer than its text has if members are repeated there. */
export function countParsedMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countParsedMembers(item);
    return members;
  }
  for (const member of Object.values(value)) members += 1 + countParsedMembers(member);
  return members;
}

/** A map or a list that is not at its end yet. */
interface OpenContainer {
  readonly path: string;
  /** The keys so far; absent in lists. */
  readonly keys?: Set<string>;
  /** The key whose value follows, or the index of the item. */
  current: string | number;
}

/** The members of a text by their paths, as the real server names them: `spec.list[0].a`. */
export interface TextMembers {
  readonly repeated: readonly string[];
  /** All of them in their order; those that are repeated where they stand for the second time. */
  readonly order: readonly string[];
}

/** Finds the members of a text of JSON that are repeated. */
export function repeatedMembers(text: string): TextMembers {
  const repeated = new Set<string>();
  const order = new Set<string>();
  const open: OpenContainer[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inner = open.at(-1);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      const isKey = inner?.keys !== undefined && /^\s*:/.test(text.slice(end + 1, end + 100));
      if (isKey) {
        inner.current = JSON.parse(text.slice(at, end + 1)) as string;
        const path = pathIn(inner);
        if (inner.keys.has(inner.current) && !repeated.has(path)) {
          repeated.add(path);
          order.delete(path);
        }
        order.add(path);
        inner.keys.add(inner.current);
        at = text.indexOf(':', end);
      } else at = end;
    } else if (code === OPEN_MAP) open.push({ path: pathIn(inner), keys: new Set(), current: '' });
    else if (code === OPEN_LIST) open.push({ path: pathIn(inner), current: 0 });
    else if (code === CLOSE_MAP || code === CLOSE_LIST) open.pop();
    else if (text[at] === ',' && typeof inner?.current === 'number') inner.current += 1;
  }
  return { repeated: [...repeated], order: [...order] };
}

function pathIn(container: OpenContainer | undefined): string {
  if (!container) return '';
  const { path, current } = container;
  if (typeof current === 'number') return `${path}[${current}]`;
  return path ? `${path}.${current}` : current;
}

/** Returns the place of the quote that ends a text. */
export function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
