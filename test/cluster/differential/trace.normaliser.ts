import type { KubeObject } from 'nestjs-kopf';
import type { Entry } from './instance.log.js';

/** As Kopf writes time stamps: with six digits behind the second. */
const KOPF_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/g;
/** As the API server writes them. */
const SERVER_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
/** For how long a handler was tried that is not called any more. */
const RUNTIME = /(has timed out after )(\d+ days?, )?\d+:\d\d:\d\d(\.\d{6})?/g;

/**
 * Replaces what differs between any two runs: time stamps, resource versions, uids, generated names. Annotations stay the texts
 * that they are, so that the order of their members and their spaces are compared, too.
 */
export function normalise(entry: Entry | KubeObject): unknown {
  const text = JSON.stringify(entry)
    .replace(KOPF_TIME, '<KOPF-TIME>')
    .replace(SERVER_TIME, '<SERVER-TIME>')
    .replace(RUNTIME, '$1<RUNTIME>')
    .replace(/("path":"\/metadata\/resourceVersion","value":)"\d+"/g, '$1"<VERSION>"')
    .replace(/"(uid|resourceVersion|namespace|generateName)":"[^"]*"/g, '"$1":"<$1>"');
  const value = JSON.parse(text) as Record<string, any>;
  if (value.type === 'call') return normaliseCall(value);
  if (value.type === undefined) return withoutBookkeeping(value);
  return value;
}

function normaliseCall({ diff, metadata, ...rest }: Record<string, any>): object {
  return withoutNulls({
    ...rest,
    // "The order of a diff is at random within each operation", in Kopf.
    diff: diff ? sortedByText(diff as readonly unknown[]) : null,
    metadata: withoutNulls(metadata as Record<string, unknown>),
  });
}

/** Leaves out what the API server notes of who has changed what, and how often. */
function withoutBookkeeping({ metadata, ...rest }: Record<string, any>): object {
  const { managedFields: _1, generation: _2, ...others } = metadata as Record<string, unknown>;
  return { ...rest, metadata: others };
}

function sortedByText(items: readonly unknown[]): unknown[] {
  return items
    .map((item) => JSON.stringify(item))
    .sort()
    .map((text) => JSON.parse(text) as unknown);
}

/** Leaves out absent arguments, which are `None` in Python and `undefined` here; within values and in requests, a `null` is a value. */
function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}
