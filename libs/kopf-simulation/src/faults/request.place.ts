import type { KubeRequest } from 'kube-common';

/** The part of the API that a request is for. */
export interface RequestPlace {
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The path of the object without subresource and query; absent for collections. */
  readonly object?: string;
}

const PATTERN = /^(\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/([^/?]+)(?:\/([^/?]+))?)/;

/** The part of the API that a request is for; `undefined` for discovery and the like. */
export function placeOf({ path }: KubeRequest): RequestPlace | undefined {
  const found = PATTERN.exec(path);
  if (!found) return undefined;
  const [, object, group, plural, name] = found;
  return { resource: group ? `${plural}.${group}` : plural, ...(name !== undefined && { object }) };
}

export function isWatch({ path }: KubeRequest): boolean {
  return /[?&]watch=(true|1)/.test(path);
}

/** Whether a request changes an object. Reviews of access and of tokens do not. */
export function isWrite({ method, path }: KubeRequest): boolean {
  return method !== 'GET' && !/\/(self)?subject\w*reviews|\/tokenreviews/.test(path);
}

/** Whether the API server rejects a request with a conflict if the object has changed since the client has read it. */
export function isConditional({ method, body = '' }: KubeRequest): boolean {
  if (method === 'GET' || method === 'POST') return false;
  return /"resourceVersion":|"op":"test"/.test(body);
}
