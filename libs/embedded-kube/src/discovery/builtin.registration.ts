import type { ApiResource } from '../interfaces/api-resource.js';
import type { KubeObject } from '../interfaces/kube-object.js';
import { BuiltinStrategy } from '../machinery/strategies/builtin.strategy.js';
import { BUILTIN_TRAITS } from '../machinery/strategies/builtin-traits.data.js';
import { toCoreEvent, toNewEvent } from '../machinery/strategies/event.traits.js';
import type { ResourceStrategy } from '../machinery/resource.strategy.js';
import type { ScalePaths, ServedResource } from '../machinery/served.resource.js';
import { BUILTIN_RESOURCES } from './builtin-resources.data.js';
import type { ResourceRegistry } from './resource.registry.js';

const REPLICAS: ScalePaths = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' };

/** Serves the built-in resources. */
export function registerBuiltins(
  registry: ResourceRegistry,
  strategies: Readonly<Record<string, ResourceStrategy>>,
): void {
  const storageVersions = new Map<string, string>();
  for (const resource of BUILTIN_RESOURCES) {
    const key = storageKeyOf(resource);
    if (!storageVersions.has(key)) storageVersions.set(key, apiVersionOf(resource));
    registry.add(builtinResource(resource, key, storageVersions.get(key)!, strategies[key]));
  }
}

function builtinResource(
  resource: ApiResource,
  storageKey: string,
  storageVersion: string,
  strategy: ResourceStrategy | undefined,
): ServedResource {
  const apiVersion = apiVersionOf(resource);
  const isNewEvent = resource.group === 'events.k8s.io';
  const hasStatus = resource.subresources.some(({ name }) => name === 'status');
  const convert = (object: KubeObject, version: string): KubeObject =>
    object.apiVersion === version ? object : { ...object, apiVersion: version };
  return {
    resource,
    apiVersion,
    storageKey,
    custom: false,
    listKind: `${resource.kind}List`,
    strategy: isNewEvent
      ? new BuiltinStrategy({}, false)
      : (strategy ?? new BuiltinStrategy(BUILTIN_TRAITS[storageKey] ?? {}, hasStatus)),
    ...(resource.subresources.some(({ name }) => name === 'scale') && { scale: REPLICAS }),
    fromStorage: (object) => convert(isNewEvent ? toNewEvent(object) : object, apiVersion),
    toStorage: (object) => convert(isNewEvent ? toCoreEvent(object) : object, storageVersion),
  };
}

/** The collection of a resource's objects; events of both groups are the same objects. */
export function storageKeyOf({ group, plural }: { group: string; plural: string }): string {
  return group && group !== 'events.k8s.io' ? `${plural}.${group}` : plural;
}

function apiVersionOf({ group, version }: ApiResource): string {
  return group ? `${group}/${version}` : version;
}
