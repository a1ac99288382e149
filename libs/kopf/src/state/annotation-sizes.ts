import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';

/** The limit of all annotations of an object, with their names and values, in bytes. */
export const ANNOTATIONS_LIMIT = 256 * 1024;

/** The most bytes that one UTF-16 unit is encoded in. */
const MOST_BYTES = 3;

/**
 * Computes the size of the object's annotations after the changes, if it is above the limit.
 *
 * @param changes new values by names; `null` for removed annotations. Other values that are not texts come from handlers; they are not
 *   counted, and the API server rejects them.
 * @returns the size in bytes; `undefined` if it is within the limit.
 */
export function findOversize(body: KubeObject, changes: Readonly<Record<string, unknown>>): number | undefined {
  const annotations: Record<string, unknown> = { ...body.metadata?.annotations, ...changes };
  // Counting bytes takes time in proportion to the length, so it is done only for objects that may be too large.
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

/** The name of the annotation that marks the annotations under a prefix as those of an operator, for other operators. */
export function managedMarkOf(prefix: string): string {
  return `${prefix}/kopf-managed`;
}

/**
 * Adds the mark that identifies the annotations under a prefix as those of an operator, unless the object or the patch has it. Prefixes
 * that begin with `kopf.` need no mark.
 */
export function markAsManaged(prefix: string, body: KubeObject, patch: Patch): void {
  if (prefix.startsWith('kopf.')) return;
  const mark = managedMarkOf(prefix);
  const { annotations } = patch.metadata;
  if (body.metadata?.annotations?.[mark] === undefined && annotations[mark] === undefined) annotations[mark] = 'yes';
}
