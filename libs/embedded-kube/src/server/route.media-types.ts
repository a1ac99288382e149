import { StatusError } from '../errors/status.error.js';
import type { ApiRequest } from './api.request.js';

const FORMS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/**
 * Checks the media types of a request for a built-in resource as the real server's routes do, before anything else of the request is
 * read: names of types are compared letter by letter, their parameters are not looked at.
 *
 * @throws StatusError 415, 406
 */
export function assertRouteMediaTypes({ method, headers }: ApiRequest, verb: string): void {
  if (method === 'PATCH' && !typesIn(headers['content-type'] || 'application/octet-stream').some(isPatch)) {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  assertProduced(headers['accept'], verb === 'list' || verb === 'watch' ? [...FORMS, ...STREAMS] : FORMS);
}

/**
 * Checks that a client accepts what a route answers with.
 *
 * @throws StatusError 406
 */
export function assertProduced(accept: string | undefined, produced: readonly string[] = FORMS): void {
  if (!accept || accept === FORMS[0]) return;
  if (typesIn(accept).some((type) => type === '*/*' || produced.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`;
  throw new StatusError(406, 'NotAcceptable', message, {});
}

function isPatch(type: string): boolean {
  return PATCHES.includes(type);
}

function typesIn(header: string): string[] {
  return header.split(',').map((clause) => clause.split(';')[0]!.trim());
}
