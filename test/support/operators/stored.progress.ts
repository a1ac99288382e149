import { isDeepStrictEqual } from 'node:util';
import { parseJson, type KubeObject } from 'nestjs-kopf';
import type { ProgressRecord } from 'nestjs-kopf/storages';

const PREFIX = 'kopf.zalando.org/';
const LAST_HANDLED = `${PREFIX}last-handled-configuration`;

/** Reads the stored progress of an object's handlers, by the annotations' names without the prefix. */
export function storedProgress({ metadata }: KubeObject): Record<string, ProgressRecord> {
  const records = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(PREFIX) && key !== LAST_HANDLED && value.startsWith('{'))
    .map(([key, value]) => [key.slice(PREFIX.length), JSON.parse(value) as ProgressRecord]);
  return Object.fromEntries(records) as Record<string, ProgressRecord>;
}

/** The essence for which the object was handled last; `undefined` if it was not yet. */
function lastHandled({ metadata }: KubeObject): Record<string, any> | undefined {
  const text = metadata.annotations?.[LAST_HANDLED];
  return text === undefined ? undefined : (parseJson(text) as Record<string, any>);
}

/** Whether the object was handled in its present state, and no handler is in progress. */
export function isHandled(object: KubeObject): boolean {
  const handled = lastHandled(object);
  if (!handled || Object.keys(storedProgress(object)).length > 0) return false;
  const labels = object.metadata.labels ?? {};
  return isDeepStrictEqual(handled.spec, object.spec) && isDeepStrictEqual(handled.metadata?.labels ?? {}, labels);
}
