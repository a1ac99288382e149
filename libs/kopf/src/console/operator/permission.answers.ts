import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import type { ResourceHandler } from '../../registry/handler.js';
import type { ConsolePermission } from '../console.api.js';
import { permissionKeyOf, type PermissionUse } from './permission.use.js';
import { GrantedRules } from './granted.rules.js';
import type { SourceServices } from './source.services.js';

/** A permission with those who need it. */
interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly neededBy: Set<string>;
}

/** Lists the permissions that handlers need and those that were used, with whether the API server grants them. */
export async function describePermissions(
  services: SourceServices,
  use: PermissionUse,
  signal: AbortSignal,
): Promise<readonly ConsolePermission[]> {
  const needs = new Map<string, Need>();
  const add = (need: Omit<Need, 'neededBy'>, source?: string): void => {
    const key = permissionKeyOf(need);
    const known = needs.get(key) ?? { ...need, neededBy: new Set<string>() };
    if (source !== undefined) known.neededBy.add(source);
    needs.set(key, known);
  };
  for (const { resource, namespace } of services.watchers.states)
    addHandlers(services.registry, resource, namespace, add);
  const used = new Map([...use.all()].map((entry) => [permissionKeyOf(entry.used), entry]));
  for (const { used: each } of used.values()) add(each);
  const namespaces = [...needs.values()].map(({ namespace }) => namespace);
  const granted = await GrantedRules.review(services.api, new Set(namespaces), signal);
  return [...needs]
    .map(([key, { neededBy, ...permission }]) => {
      const { count = 0, refused = 0 } = used.get(key) ?? {};
      // What the API server has refused is not granted, whatever its review says.
      return {
        ...permission,
        neededBy: [...neededBy],
        used: count,
        granted: refused > 0 ? false : granted.check(permission),
      };
    })
    .sort((one, other) => compare(describe(one), describe(other)));
}

function addHandlers(
  registry: HandlerRegistry,
  resource: Resource,
  namespace: string | undefined,
  add: (need: Omit<Need, 'neededBy'>, source: string) => void,
): void {
  const { watching, changing, spawning, indexing } = registry.handlersOf(resource);
  const { group, plural } = resource;
  const place = { group, resource: plural, ...(namespace !== undefined && { namespace }) };
  const patching: readonly ResourceHandler[] = [...changing, ...spawning.filter(({ kind }) => kind !== 'log')];
  for (const { source } of [...watching, ...indexing, ...spawning, ...changing]) {
    for (const verb of ['list', 'watch']) add({ ...place, verb }, source);
  }
  for (const { source } of patching) {
    add({ ...place, verb: 'patch' }, source);
    if (resource.subresources.includes('status'))
      add({ ...place, resource: `${plural}/status`, verb: 'patch' }, source);
  }
}

function describe({
  group,
  resource,
  verb,
  namespace = '',
}: Omit<ConsolePermission, 'neededBy' | 'used' | 'granted'>): string {
  return `${qualifiedName({ group, plural: resource })} ${namespace} ${verb}`;
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
