import type { ApiRequest } from '../server/api.request.js';
import { parseRequest } from '../server/request.info.js';
import type { FaultLine, FaultRequest, LineMatch, RequestMatch } from './fault.types.js';

/** Makes of a request the form that faults are matched with. */
export function toFaultRequest({ method, path: url, headers, body }: ApiRequest): FaultRequest {
  const { path, query, verb, target } = parseRequest(method, url);
  const { plural = '', group = '', namespace = '', name = '', subresource = '' } = target ?? {};
  const resource = group ? `${plural}.${group}` : plural;
  return { method, path, query, verb, resource, namespace, name, subresource, headers, body };
}

/** Checks whether all given members match the request. */
export function matchesRequest(match: RequestMatch, request: FaultRequest): boolean {
  const { method, path, verb, resource, namespace, name, subresource, userAgent, body, when } = match;
  return (
    (method === undefined || method.toUpperCase() === request.method.toUpperCase()) &&
    matchesText(path, request.path) &&
    (verb === undefined || [verb].flat().includes(request.verb)) &&
    (resource === undefined || resource === request.resource) &&
    (namespace === undefined || namespace === request.namespace) &&
    (name === undefined || name === request.name) &&
    (subresource === undefined || subresource === request.subresource) &&
    matchesText(userAgent, request.headers['user-agent'] ?? '') &&
    matchesText(body, typeof request.body === 'string' ? request.body : '') &&
    (when === undefined || when(request))
  );
}

/** Checks whether all given members match the line and its watch. */
export function matchesLine({ type, name, ...match }: LineMatch, watch: FaultRequest, line: FaultLine): boolean {
  if (type !== undefined && type !== line.type) return false;
  if (name !== undefined && name !== line.name) return false;
  return matchesRequest(match, watch);
}

/** Checks whether a text is the wanted one, or has a part that the expression matches; everything matches where nothing is wanted. */
export function matchesText(wanted: string | RegExp | undefined, text: string): boolean {
  if (wanted === undefined) return true;
  // A sticky or global expression would remember where it stopped.
  return typeof wanted === 'string' ? wanted === text : text.search(wanted) >= 0;
}
