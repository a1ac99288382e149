/** The smallest permission of RBAC: one verb for one resource, everywhere or in one namespace, for all objects or one of a name. */
export interface Permission {
  /** The API group; an empty string for the core group, `*` for all in rules of others. */
  readonly group: string;
  /** The plural, with the subresource: `pods`, `pods/log`; `*` for all in rules of others. */
  readonly resource: string;
  readonly verb: string;
  /** Absent for all objects. */
  readonly name?: string;
  /** Absent for the whole cluster, and for resources without namespaces. */
  readonly namespace?: string;
}

/** The reason why a permission is needed. */
export interface PermissionReason {
  /** The purpose: `to watch objects`. */
  readonly purpose: string;
  /** The handlers and classes that need it: `ClaimOperator.create`; empty for what the operator itself needs. */
  readonly sources: readonly string[];
}

/** A permission that the operator needs, and why. */
export interface RequiredPermission extends Permission {
  readonly reasons: readonly PermissionReason[];
}

/** The verbs in the order in which people write them; others come after them. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Identifies a permission. */
export function permissionKey({ group, resource, verb, name, namespace }: Permission): string {
  return JSON.stringify([namespace, group, resource, name, verb]);
}

/** Whether the one permission includes the other: by wildcards, for all namespaces, for all names. */
export function covers(one: Permission, other: Permission): boolean {
  return (
    (one.namespace === undefined || one.namespace === other.namespace) &&
    (one.name === undefined || one.name === other.name) &&
    (one.group === '*' || one.group === other.group) &&
    (one.verb === '*' || one.verb === other.verb) &&
    coversResource(one.resource, other.resource)
  );
}

/** Compares resources as the API server does: `*` includes subresources; a star before a subresource stands for all resources that have it. */
function coversResource(one: string, other: string): boolean {
  if (one === '*' || one === other) return true;
  return one.startsWith('*/') && other.endsWith(one.slice(1));
}

/** Puts verbs into the order in which people write them. */
export function sortVerbs(verbs: Iterable<string>): readonly string[] {
  const rank = (verb: string): number => (VERBS.includes(verb) ? VERBS.indexOf(verb) : VERBS.length);
  return [...new Set(verbs)].sort((one, other) => rank(one) - rank(other) || compareTexts(one, other));
}

/** Compares by code units, so that what is generated does not depend on the language of the machine. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Describes a permission for people: `patch loadtests.example.org/status in default`. */
export function describePermission({ group, resource, verb, name, namespace }: Permission): string {
  const what = `${verb} ${describeResource({ group, resource })}`;
  return [what, name !== undefined && `named ${name}`, namespace !== undefined && `in ${namespace}`]
    .filter(Boolean)
    .join(' ');
}

/** Returns the name of the resource as kubectl has it, with the subresource after it: `deployments.apps/scale`. */
export function describeResource({ group, resource }: Pick<Permission, 'group' | 'resource'>): string {
  const [plural, ...subresource] = resource.split('/');
  return [group ? `${plural}.${group}` : plural, ...subresource].join('/');
}
