import type { KubeRequest } from 'kube-common';

/** The part of the API that a request is for. */
export interface RequestPlace {
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The path of the object without subresource and query; absent for collections. */
  readonly object?: string;
}

const PATTERN = /^(\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/([^/?]+)(?:\/([^/?]+))?)/;

/** Finds the part of the API that a request is for; none for discovery and others. */
export function placeOf({ path }: KubeRequest): RequestPlace | undefined {
  const found = PATTERN.exec(path);
  if (!found) return undefined;
  const [, object, group, plural, name] = found;
  return { resource: group ? `${plural}.${group}` : plural, ...(name !== undefined && { object }) };
}

export function isWatch({ path }: KubeRequest): boolean {
  return /[?&]watch=(true|1)/.test(path);
}

/** Tells whether a request is to change an object. Reviews of access and of tokens are questions. */
export function isWrite({ method, path }: KubeRequest): boolean {
  return method !== 'GET' && !/\/(self)?subject\w*reviews|\/tokenreviews/.test(path);
}

/** Tells whether the API server rejects a request with a conflict when the object is another one than the client has seen. */
export function isConditional({ method, body = '' }: KubeRequest): boolean {
  if (method === 'GET' || method === 'POST') return false;
  return /"resourceVersion":|"op":"test"/.test(body);
}
