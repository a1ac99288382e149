// The rows of a case: each makes a case of its own, in which the last body is changed.
import { load } from 'js-yaml';

/** A change of one field. */
export interface RowChange {
  readonly path: readonly (string | number)[];
  /** Is absent if the field is removed. */
  readonly value?: unknown;
}

/** Reads `spec.type = NodePort; -spec.selector; spec.ports[0].port = 0`. */
export function parseChanges(row: string): RowChange[] {
  if (row === 'as it is') return [];
  return row.split(/; +/).map((text) => {
    const removed = /^-((?:"[^"]*"|\S)+)$/.exec(text);
    if (removed) return { path: parsePath(removed[1]) };
    const [, path, value] = /^((?:"[^"]*"|\S)+) = (.*)$/.exec(text) ?? [];
    if (!path) throw new Error(`no change of a field: ${text}`);
    return { path: parsePath(path), value: load(value) ?? null };
  });
}

/** Reads `spec.ports[0].port`, with `["a.b"]` for names that hold points. */
export function parsePath(text: string): (string | number)[] {
  return [...text.matchAll(/\["([^"]*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name) : Number(index),
  );
}

/** A copy of the body with the changes; missing parents are made. */
export function changed(body: unknown, changes: readonly RowChange[]): unknown {
  const copy = structuredClone(body);
  for (const { path, value } of changes) {
    let parent = copy as Record<string | number, unknown>;
    for (const [index, key] of path.slice(0, -1).entries()) {
      parent[key] ??= typeof path[index + 1] === 'number' ? [] : {};
      parent = parent[key] as Record<string | number, unknown>;
    }
    const last = path.at(-1)!;
    if (value !== undefined) parent[last] = value;
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
  }
  return copy;
}

/** The value at a path, `undefined` if there is none. */
export function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const key of parsePath(path)) value = (value as Record<string | number, unknown> | null | undefined)?.[key];
  return value;
}
