import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';

/** Limits the bytes of all annotations of an object, names and values together. */
export const ANNOTATIONS_LIMIT = 256 * 1024;

/** The most bytes that one UTF-16 unit can become. */
const MOST_BYTES = 3;

/**
 * Tells by how many bytes the object's annotations would be beyond the limit after the changes, and their size.
 *
 * @param changes new values by names; `null` for what is removed. Those of handlers can be no texts; the API server rejects them.
 * @returns `undefined` if they are within the limit; otherwise their size in bytes.
 */
export function findOversize(body: KubeObject, changes: Readonly<Record<string, unknown>>): number | undefined {
  const annotations: Record<string, unknown> = { ...body.metadata?.annotations, ...changes };
  // Counting bytes takes time proportional to the length, and is needed only for objects that are nearly too large.
  if (sum(annotations, (text) => text.length * MOST_BYTES) <= ANNOTATIONS_LIMIT) return undefined;
  const size = sum(annotations, (text) => Buffer.byteLength(text));
  return size > ANNOTATIONS_LIMIT ? size : undefined;
}

function sum(annotations: Readonly<Record<string, unknown>>, measure: (text: string) => number): number {
  let total = 0;
  for (const name of Object.keys(annotations)) {
    const value = annotations[name];
    if (typeof value === 'string') total += measure(name) + measure(value);
  }
  return total;
}

/** The name of the annotation by which operators recognise each other's annotations. */
export function managedMarkOf(prefix: string): string {
  return `${prefix}/kopf-managed`;
}

/**
 * Adds the annotation by which operators recognise each other's annotations, unless the object or the patch has it.
 * Prefixes that begin with `kopf.` need none.
 */
export function markAsManaged(prefix: string, body: KubeObject, patch: Patch): void {
  if (prefix.startsWith('kopf.')) return;
  const mark = managedMarkOf(prefix);
  const { annotations } = patch.metadata;
  if (body.metadata?.annotations?.[mark] === undefined && annotations[mark] === undefined) annotations[mark] = 'yes';
}
