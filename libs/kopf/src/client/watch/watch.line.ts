import { ApiGoneError, WatchStreamError } from '../api/api.errors.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { parseJson } from '../../objects/exact-json.js';
import { isStatus, createStatusError } from '../api/api.error.factory.js';

/** A line of a watch; the type is any that the server sends, known or not. */
export interface WatchLine {
  readonly type: string;
  readonly object: KubeObject;
}

/**
 * Reads one line of a watch.
 *
 * @param path the path of the watch, for errors.
 * @throws ApiGoneError if the version is too old; WatchStreamError on other errors that the server reports, as its cause,
 * and on anything that is not an event; such lines are not shown, as there can be secrets in them.
 */
export function parseWatchLine(line: string, path: string): WatchLine {
  const event = parse(line);
  if (event?.type === 'ERROR') throw createError(event.object, path);
  if (typeof event?.type !== 'string' || !isObject(event.object)) {
    throw new WatchStreamError(`The stream has a line of ${line.length} characters that is not an event.`);
  }
  return event as WatchLine;
}

function parse(line: string): { type?: unknown; object?: unknown } | null | undefined {
  try {
    return parseJson(line) as { type?: unknown; object?: unknown } | null;
  } catch {
    return undefined;
  }
}

function isObject(value: any): value is KubeObject {
  return typeof value?.metadata === 'object' && value.metadata !== null;
}

function createError(status: unknown, path: string): Error {
  if (!isStatus(status))
    return new WatchStreamError('The server reported an error without a status.', { cause: status });
  const cause = createStatusError('GET', path, status);
  return cause instanceof ApiGoneError
    ? cause
    : new WatchStreamError(`The server reported: ${cause.message}`, { cause });
}
