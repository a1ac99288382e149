import { groupBy } from 'kube-common';
import type { Permission, RequiredPermission } from 'nestjs-kopf/inspection';
import { covers, describeResource, permissionKey, sortVerbs } from 'nestjs-kopf/tooling';
import { describeReasons } from '../rbac/policy.rules.js';
import type { GrantedPermission } from './granted.permissions.js';
import type { ObservedPermissions } from './used.permissions.js';

/**
 * A difference between what is needed and what is there:
 *
 * - `missing`: needed, but no rule permits it;
 * - `superfluous`: permitted, but not needed by anything;
 * - `wide`: needed, but permitted for more than that: by a wildcard, for all names, for the whole cluster;
 * - `undeclared`: a run has used it, or was denied it, but neither handlers nor `@Needs()` tell of it;
 * - `unused`: needed, as far as is known, but a run has not used it, which is no error.
 */
export type FindingKind = 'missing' | 'superfluous' | 'wide' | 'undeclared' | 'unused';

/** One difference, for one resource. */
export interface VerificationFinding {
  readonly kind: FindingKind;
  readonly permissions: readonly Permission[];
  /** The difference in a sentence: which rule, why, by which handler, and what to do. */
  readonly message: string;
}

/** The other side of the comparison with the needed permissions. */
export interface VerifiedPermissions {
  readonly required: readonly RequiredPermission[];
  /** The permissions that the operator tries to use, but works without, so that it does not matter if they are denied. @default none */
  readonly optional?: readonly Permission[];
  /** The permissions by the rules of files or of a cluster. @default not compared */
  readonly granted?: readonly GrantedPermission[];
  /** The permissions that a run has used, and was denied. @default not compared */
  readonly observed?: ObservedPermissions;
}

/** Compares what an operator needs with what it is given, and with what it has used. Nothing is found if they are the same. */
export function verifyPermissions(permissions: VerifiedPermissions): readonly VerificationFinding[] {
  const { required, optional = [], granted, observed } = permissions;
  return [
    ...(granted ? [...findMissing(required, granted), ...findSurplus(required, granted)] : []),
    ...(observed ? [...findUndeclared([...required, ...optional], observed), ...findUnused(required, observed)] : []),
  ];
}

function findMissing(
  required: readonly RequiredPermission[],
  granted: readonly GrantedPermission[],
): readonly VerificationFinding[] {
  const missing = required.filter((need) => !granted.some((grant) => covers(grant, need)));
  return byResource(missing).map((group) => ({
    kind: 'missing',
    permissions: group,
    message: `No rule permits to ${summarize(group)}, which is needed. ${describeReasons(group)}`,
  }));
}

function findSurplus(
  required: readonly RequiredPermission[],
  granted: readonly GrantedPermission[],
): readonly VerificationFinding[] {
  const surplus = granted.filter((grant) => !required.some((need) => covers(need, grant)));
  const findings = groupBy(byResource(surplus).flat(), (grant) => {
    const needs = required.filter((need) => covers(grant, need));
    return JSON.stringify([grant.origin, resourceKey(grant), needs.length > 0]);
  });
  return [...findings.values()].map((group): VerificationFinding => {
    const needs = required.filter((need) => group.some((grant) => covers(grant, need)));
    const [{ origin }] = group;
    if (needs.length === 0) {
      const message = `The ${origin} permits to ${summarize(group)}, but nothing needs it: take it out, or declare it by @Needs().`;
      return { kind: 'superfluous', permissions: group, message };
    }
    const enough = byResource(needs).map(summarize).join('; ');
    const message = `The ${origin} permits to ${summarize(group)}, but it is enough to ${enough}. ${describeReasons(needs)}`;
    return { kind: 'wide', permissions: group, message };
  });
}

function findUndeclared(
  known: readonly Permission[],
  { used, refused }: ObservedPermissions,
): readonly VerificationFinding[] {
  const isUnknown = (permission: Permission): boolean => !known.some((need) => covers(need, permission));
  const describe =
    (verb: string) =>
    (group: readonly Permission[]): VerificationFinding => ({
      kind: 'undeclared',
      permissions: group,
      message:
        `The run ${verb} to ${summarize(group)}, of which neither handlers nor options tell: ` +
        `declare it by @Needs() on the class that does it.`,
    });
  return [
    ...byResource(merge(used.filter(isUnknown))).map(describe('has used the permission')),
    ...byResource(merge(refused.filter(isUnknown))).map(describe('was not allowed')),
  ];
}

function findUnused(
  required: readonly RequiredPermission[],
  { used }: ObservedPermissions,
): readonly VerificationFinding[] {
  const unused = required.filter((need) => isShown(need) && !used.some((permission) => covers(need, permission)));
  return byResource(unused).map((group) => ({
    kind: 'unused',
    permissions: group,
    message: `The run has not used the permission to ${summarize(group)}. ${describeReasons(group)}`,
  }));
}

/** Whether requests show that a permission is used: what an API server checks about the owners of objects is no request. */
function isShown({ resource }: Permission): boolean {
  return !resource.endsWith('/finalizers');
}

/** Of many objects, the names do not matter. */
function merge(permissions: readonly Permission[]): readonly Permission[] {
  const merged = permissions.map(({ group, resource, verb, namespace }) => ({
    group,
    resource,
    verb,
    ...(namespace !== undefined && { namespace }),
  }));
  return [...new Map(merged.map((permission) => [permissionKey(permission), permission])).values()];
}

function byResource<P extends Permission>(permissions: readonly P[]): readonly (readonly P[])[] {
  return [...groupBy(permissions, resourceKey).values()];
}

function resourceKey({ group, resource, name, namespace }: Permission): string {
  return JSON.stringify([group, resource, name, namespace]);
}

/** Describes permissions for one resource: `list, watch pods in default`. */
function summarize(permissions: readonly Permission[]): string {
  const [first] = permissions;
  const verbs = sortVerbs(permissions.map(({ verb }) => verb)).join(', ');
  const what = `${verbs} ${describeResource(first)}`;
  const name = first.name === undefined ? '' : ` named ${first.name}`;
  return `${what}${name}${first.namespace === undefined ? '' : ` in the namespace ${first.namespace}`}`;
}
