import { KnownResources } from '../../description/known.resources.js';
import { covers, type Permission, type RequiredPermission } from '../../permissions/permission.js';
import { derivePermissions } from '../../permissions/required.permissions.js';
import type { OperatorDescription } from '../../description/operator.description.js';
import { qualifiedName } from '../../../resources/resources.js';
import type { InspectedPermission } from '../../inspection.types.js';
import { permissionKeyOf, type PermissionUse, type UsedPermission } from '../history/permission.use.js';
import { GrantedRules } from './granted.rules.js';
import type { InspectedServices } from '../inspected.services.js';

/** The requests of the inspection itself, which its viewers cause. */
const OWN: readonly (readonly [resource: string, group: string, verb: string])[] = [
  ['selfsubjectrulesreviews', 'authorization.k8s.io', 'create'],
  ['events', '', 'list'],
];

/** A permission with the handlers and features that need it, and how often it was used. */
interface PermissionEntry extends UsedPermission {
  readonly neededBy: Set<string>;
  used: number;
  refused: number;
}

/**
 * Returns the permissions that handlers and features need, as in the generated roles, and those that were used beyond them; each with its
 * uses, and whether the API server grants it.
 */
export async function inspectPermissions(
  services: InspectedServices,
  operator: OperatorDescription,
  use: PermissionUse,
  signal: AbortSignal,
): Promise<readonly InspectedPermission[]> {
  const entries = new Map<string, PermissionEntry>();
  const find = ({ verb, group, resource, namespace }: UsedPermission): PermissionEntry => {
    const permission = { verb, group, resource, ...(namespace !== undefined && { namespace }) };
    const key = permissionKeyOf(permission);
    const entry = entries.get(key) ?? { ...permission, neededBy: new Set(), used: 0, refused: 0 };
    entries.set(key, entry);
    return entry;
  };
  const needs = derive(services, operator);
  for (const need of needs) for (const reason of wordsOf(need)) find(need).neededBy.add(reason);
  for (const { used, count, refused } of use.all()) {
    const need = needs.find((each) => covers(withoutName(each), used));
    // A use in a namespace counts for a permission that is needed everywhere, unless it was refused: the refusal must be seen.
    const entry = find(need && refused === 0 ? need : used);
    entry.used += count;
    entry.refused += refused;
    for (const reason of need ? wordsOf(need) : []) entry.neededBy.add(reason);
    if (!need && isOwn(used, needs)) entry.neededBy.add('the console');
  }
  const namespaces = [...entries.values()].map(({ namespace }) => namespace);
  const granted = await GrantedRules.review(services.api, new Set(namespaces), signal);
  return [...entries.values()]
    .map(({ neededBy, refused, ...permission }) => {
      // A permission that the API server has refused is not granted, even if its review says so.
      const isGranted = refused > 0 ? false : granted.check(permission);
      return { ...permission, neededBy: [...neededBy], granted: isGranted };
    })
    .sort((one, other) => compare(describe(one), describe(other)));
}

function derive({ watchers, vault }: InspectedServices, operator: OperatorDescription): readonly RequiredPermission[] {
  const resources = new Map(watchers.states.map(({ resource }) => [qualifiedName(resource), resource]));
  const known = new KnownResources([], [...resources.values()]);
  return derivePermissions(operator, known, vault.defaultNamespace ?? 'default').permissions;
}

/** Returns the names of the handlers and classes that need a permission, or the operator's own purpose of it. */
function wordsOf({ reasons }: RequiredPermission): readonly string[] {
  return reasons.flatMap(({ purpose, sources }) => (sources.length > 0 ? sources : [purpose]));
}

/** Removes the name from a permission: uses are counted for all names, as requests do not always have one. */
function withoutName({ name: _name, ...permission }: Permission): Permission {
  return permission;
}

/** Whether a use is by the inspection itself, which searches children among the objects that the operator creates without watching them. */
function isOwn({ verb, group, resource }: UsedPermission, needs: readonly Permission[]): boolean {
  if (OWN.some((own) => own[0] === resource && own[1] === group && own[2] === verb)) return true;
  return verb === 'list' && needs.some((need) => need.group === group && need.resource === resource);
}

function describe({ group, resource, verb, namespace = '' }: UsedPermission): string {
  return `${qualifiedName({ group, plural: resource })} ${namespace} ${verb}`;
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
