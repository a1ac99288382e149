/** The meaning of a path and a method. */
export interface RequestInfo {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `get list watch create update patch delete deletecollection` for resources; else the method in lower case. */
  readonly verb: string;
  /** Set if the path is that of a resource or an object. */
  readonly target?: ResourcePath;
}

/** A path below a group version. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** Empty where the path has none. */
  readonly namespace: string;
  readonly plural: string;
  /** Empty for the whole collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The part of the path after the subresource. */
  readonly rest: string;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };
/** The segments that can follow the name of a namespace without being a resource in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Reads a boolean of a query as the real server does: everything is true but `false` and `0`. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)?.toLowerCase();
  return text === undefined ? undefined : text !== 'false' && text !== '0';
}

/** Whether the answer to a request is a long stream: a watch, or a log that is followed. */
export function isStreaming(method: string, url: string): boolean {
  const { verb, query, target } = parseRequest(method, url);
  return verb === 'watch' || (target?.subresource === 'log' && queryFlag(query, 'follow') === true);
}

/** Reads a path as the real server does. */
export function parseRequest(method: string, url: string): RequestInfo {
  const split = url.indexOf('?');
  const path = split < 0 ? url : url.slice(0, split);
  const query = new URLSearchParams(split < 0 ? '' : url.slice(split + 1));
  // The real server decodes a path before it takes it apart: an encoded slash divides names.
  const parts = decode(path).split('/');
  while (parts[0] === '') parts.shift();
  while (parts.at(-1) === '') parts.pop();
  const prefix = parts[0] === 'api' ? 2 : 3;
  // The old way to ask for a watch: /api/v1/watch/pods.
  const isWatch = parts[prefix] === 'watch' && parts.length > prefix + 1;
  const target = parsePath(isWatch ? [...parts.slice(0, prefix), ...parts.slice(prefix + 1)] : parts);
  if (!target) return { path, query, verb: method.toLowerCase() };
  return { path, query, verb: isWatch && method === 'GET' ? 'watch' : verbOf(method, target, query), target };
}

function parsePath(parts: readonly string[]): ResourcePath | undefined {
  const [root] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (parts[1] ?? '');
  const version = parts[root === 'api' ? 1 : 2] ?? '';
  const [first, ...others] = parts.slice(root === 'api' ? 2 : 3);
  if (!first) return undefined;
  const isNamespaced = first === 'namespaces' && others.length > 1 && !NAMESPACE_SUBRESOURCES.has(others[1]!);
  const namespace = isNamespaced ? others[0]! : '';
  const [plural, name = '', subresource = '', ...rest] = isNamespaced ? others.slice(1) : [first, ...others];
  return { group, version, namespace, plural: plural!, name, subresource, rest: rest.join('/') };
}

function verbOf(method: string, { name }: ResourcePath, query: URLSearchParams): string {
  if (method === 'GET' || method === 'HEAD') {
    if (name) return 'get';
    return queryFlag(query, 'watch') ? 'watch' : 'list';
  }
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection';
  return VERBS[method] ?? method.toLowerCase();
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
