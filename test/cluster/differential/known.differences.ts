import { isDeepStrictEqual } from 'node:util';
import type { Trace, TraceEntry } from './trace.comparison.js';

/** A difference that is meant to be, and that the guide tells of. */
export interface KnownDifference {
  /** The row of the table "What is different" in `moving-from-kopf.md`, by its beginning. */
  readonly row: string;
  /** Takes the difference out of a trace, of either side. */
  takeOut(trace: Trace): Trace;
}

/** The known differences in what is written. Those that cannot be taken out of a trace are not drawn by the generator. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: 'Changes of an object that has gone meanwhile are sent, and rejected',
    takeOut: (trace) => trace.filter(({ type, status }) => type !== 'write' || status !== 404),
  },
  {
    row: 'A patch applies to whatever object has the name by then',
    takeOut: (trace) => trace.map(withoutUid),
  },
];

/** The row of the difference that Kopf calls handlers of changes in vain: nothing of them can be stored. */
export const VAIN_CALL = 'Handlers of changes are called for an object that has gone meanwhile';

/**
 * Tells whether an entry of Kopf's is the call of a handler for an object that the user has just deleted: nothing holds the object, and the
 * event is from before the deletion.
 */
export function isVainCall({ type, reason, deleted, metadata }: TraceEntry, before: Trace): boolean {
  const { finalizers } = (metadata ?? {}) as { readonly finalizers?: unknown };
  const action = before.findLast((entry) => entry.type === 'user')?.action;
  const isChange = type === 'call' && typeof reason === 'string' && reason !== 'delete';
  return isChange && deleted === false && finalizers === undefined && (action === 'delete' || action === 'recreate');
}

/** The row of the difference in the order of two patches of one cycle. */
export const PATCH_ORDER = 'With a status subresource, the object is patched first, then its status';

/**
 * Tells whether two entries are the same two patches in both traces, of the object and of its status, and only their order differs.
 * A trace alone does not tell whether two patches that follow each other belong to one cycle, so both traces are looked at.
 */
export function arePatchesInOurOrder([first, second]: Trace, [status, object]: Trace): boolean {
  const arePatches = [status, object].every((entry) => entry?.contentType === 'application/merge-patch+json');
  return (
    arePatches &&
    status.path === `${object.path as string}/status` &&
    isDeepStrictEqual([first, second], [object, status])
  );
}

/** The row of a difference after which traces cannot be compared any further: Kopf has records that are purged here. */
export const LEFTOVER_PROGRESS = 'Progress of a change that was taken back stays on the object';

/** Tells whether the first entry that differs from Kopf's only purges what a change has left that was taken back. */
export function purgesLeftovers({ type, body }: TraceEntry): boolean {
  return type === 'write' && !Array.isArray(body) && leavesOf(body).every((leaf) => leaf === null);
}

/** The row of another difference after which traces cannot be compared any further: Kopf waits for the next change, and we go on. */
export const REFUSED_PATCH =
  'A finalizer, or a transformation, that is refused because the object has changed meanwhile';

/** Tells whether the first entry that differs from Kopf's is a touch, by which the handling goes on after a patch that was refused. */
export function goesOnAfterRejection({ type, body }: TraceEntry, before: Trace): boolean {
  const last = before.findLast((entry) => entry.type === 'write');
  const leaves = namedLeavesOf(body);
  // The first record with a prefix of the operator's own is marked as such.
  const isTouch = leaves.every(([name, value]) => isDummy(name) || (name.endsWith('/kopf-managed') && value === 'yes'));
  return type === 'write' && last?.status === 422 && isTouch && leaves.some(([name]) => isDummy(name));
}

/**
 * Tells whether two entries are one JSON patch of Kopf's in two parts, after it was refused: the transformation is sent as soon as it can be,
 * for the newest state, and the finalizer is decided about anew.
 */
export function arePartsAfterRejection(whole: TraceEntry, parts: Trace, before: Trace): boolean {
  const last = before.findLast((entry) => entry.type === 'write');
  const isRefused = last?.status === 422 && Array.isArray(last.body);
  if (!isRefused || parts.length < 2 || ![whole, ...parts].every((entry) => Array.isArray(entry.body))) return false;
  const operationsOf = (entries: Trace): string[] =>
    entries
      .flatMap(({ body }) => body as readonly { readonly op: string }[])
      .filter(({ op }) => op !== 'test')
      .map((operation) => JSON.stringify(operation))
      .sort();
  const isAlike = parts.every((part) => isDeepStrictEqual({ ...part, body: whole.body }, whole));
  return isAlike && isDeepStrictEqual(operationsOf([whole]), operationsOf(parts));
}

/** The row of one more such difference: Kopf sends what can only be refused, which is one write more, and waits after it. */
export const VAIN_PATCH = 'A JSON patch is sent for a state that is known to be outdated';

/** Tells whether the first entry of Kopf's that differs is a JSON patch in vain. */
export function isVainPatch({ type, body, status }: TraceEntry): boolean {
  return type === 'write' && Array.isArray(body) && status === 422;
}

function leavesOf(value: unknown): unknown[] {
  return namedLeavesOf(value).map(([, leaf]) => leaf);
}

function namedLeavesOf(value: unknown, name = ''): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, member]) => namedLeavesOf(member, key));
}

/** Tells whether it is the name of what is changed to have another event: `dummy`, `touch-dummy`, with or without a prefix. */
function isDummy(name: string): boolean {
  return /\bdummy$/.test(name);
}

/** Programs that the generator does not draw, because the guide says that they differ. */
export const NOT_DRAWN: readonly string[] = [
  '`1`, `1.0`, and `True` are equal in diffs and filters',
  'Sub-handlers with `old` or `new` fail the handler',
  'With `verbose`, all records are written again',
  'A callback for the value of a field gets a marker of its own',
  'An operator that stops waits for delayed handlers',
  'A `timeout` is checked between attempts',
  'Two functions with one id overwrite each other',
  'A patch that changes nothing ends the waiting of delayed handlers',
];

/** Takes out by which uid and version a patch is bound to its object: fields of the metadata, or a test. */
function withoutUid(entry: TraceEntry): TraceEntry {
  const { type, body } = entry;
  if (type !== 'write') return entry;
  if (Array.isArray(body)) {
    const operations = body as readonly { readonly path: string }[];
    return { ...entry, body: operations.filter(({ path }) => path !== '/metadata/uid') };
  }
  const { metadata, ...rest } = body as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { uid: _1, resourceVersion: _2, ...others } = metadata ?? {};
  return { ...entry, body: Object.keys(others).length ? { ...rest, metadata: others } : rest };
}
