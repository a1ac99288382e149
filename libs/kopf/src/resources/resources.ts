// resources: selectors of resources and of objects, namespace patterns, and paths of requests. Pure functions: the resources of the cluster
// are passed to them, and are read in client/api/.
// May import: common, objects.

import { explainName } from './object.names.js';

/**
 * One kind of objects that the API server serves, in one version, as found by discovery.
 *
 * Two resources are the same if they have the same group, version, and plural name.
 */
export interface Resource {
  /** The API group; an empty string for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The names of the subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
  readonly namespaced: boolean;
  /** Whether the server prefers this version within the group. */
  readonly preferred: boolean;
  /** The operations that the API has for the resource, independently of RBAC: `list`, `watch`, `patch`. */
  readonly verbs: readonly string[];
}

/** The part of a resource for which a path is built. */
export interface ResourceUrlOptions {
  /** The namespace; absent for all namespaces, and for resources without namespaces. */
  readonly namespace?: string | null;
  /** The name of one object; absent for the list of all objects, and never empty. */
  readonly name?: string;
  readonly subresource?: string;
  /** Query parameters; those with `undefined` are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The parts of a resource that identify it. */
export type ResourceIdentity = Pick<Resource, 'group' | 'version' | 'plural'>;

/** Returns the unique name of a resource as kubectl writes it: `pods.v1`, `deployments.v1.apps`. */
export function resourceKey({ group, version, plural }: ResourceIdentity): string {
  return group ? `${plural}.${version}.${group}` : `${plural}.${version}`;
}

/** Returns the name of a resource of any version as kubectl writes it: `pods`, `deployments.apps`. */
export function qualifiedName({ group, plural }: Omit<ResourceIdentity, 'version'>): string {
  return group ? `${plural}.${group}` : plural;
}

/** Whether the objects of a resource can be listed and watched. */
export function isWatchable({ verbs }: Pick<Resource, 'verbs'>): boolean {
  return verbs.includes('list') && verbs.includes('watch');
}

/** Returns the group of an `apiVersion`: `apps` of `apps/v1`, an empty string of `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Returns the value of `apiVersion` in objects of the resource: `v1`, `apps/v1`. */
export function resourceApiVersion({ group, version }: ResourceIdentity): string {
  return group ? `${group}/${version}` : version;
}

/**
 * Builds the path with the query for requests to the API server.
 *
 * @throws TypeError if a name, a namespace, or a subresource is empty or leads to another path, a subresource has no name, a namespace is
 * given for a cluster-scoped resource, or an object of a namespaced resource has none.
 *
 * @example
 * resourceUrl(pods, { namespace: 'default', name: 'web', subresource: 'status' }); // '/api/v1/namespaces/default/pods/web/status'
 */
export function resourceUrl(resource: Resource, options: ResourceUrlOptions = {}): string {
  const { namespace, name, subresource, query } = options;
  checkOptions(resource, options);
  let path = resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`;
  if (namespace) path += `/namespaces/${segment(namespace)}`;
  path += `/${resource.plural}`;
  if (name !== undefined) path += `/${segment(name)}`;
  if (subresource !== undefined) path += `/${segment(subresource)}`;
  return query ? path + formatQuery(query) : path;
}

function checkOptions(resource: Resource, { namespace, name, subresource }: ResourceUrlOptions): void {
  if (name !== undefined) refuse(resource, 'name of an object', explainName(name));
  if (subresource !== undefined) refuse(resource, 'subresource', explainName(subresource));
  if (namespace) refuse(resource, 'namespace', explainName(namespace));
  if (subresource !== undefined && name === undefined) {
    throw new TypeError(`The subresource ${subresource} of ${resourceKey(resource)} needs an object's name.`);
  }
  if (namespace && !resource.namespaced) {
    throw new TypeError(`${resourceKey(resource)} has no namespaces, so there is none called ${namespace}.`);
  }
  if (name !== undefined && resource.namespaced && !namespace) {
    throw new TypeError(`${resourceKey(resource)} has namespaces, so the object ${name} needs one.`);
  }
}

function refuse(resource: Resource, what: string, problem: string | undefined): void {
  if (problem !== undefined) throw new TypeError(`The ${what} of ${resourceKey(resource)} ${problem}.`);
}

function formatQuery(query: NonNullable<ResourceUrlOptions['query']>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Escapes a part of a path; most names need no escaping. */
function segment(name: string): string {
  return /^[\w.~:-]+$/.test(name) ? name : encodeURIComponent(name);
}
