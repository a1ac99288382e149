import type { ApiResource, ApiSubresource } from '../resources/api-resource.js';
import { compareVersions } from '../resources/resource.registry.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ScalePaths, ServedResource } from '../resources/served.resource.js';
import { CustomStrategy } from './custom.strategy.js';
import type { ConversionCache } from './conversion/conversion.cache.js';
import type { Definition, DefinitionVersion } from './definition.types.js';
import { VersionConversion } from './version.conversion.js';

/** The verbs in the order of the real server's discovery. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** Returns the resources that a definition serves, one for each served version. */
export function servedResources(definition: Definition, conversions?: ConversionCache): ServedResource[] {
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => servedResource(definition, version, conversions));
}

/** Returns the resource in the version in which its objects are stored, served or not. */
export function storageResource(definition: Definition): ServedResource {
  return servedResource(
    definition,
    definition.spec.versions.find(({ storage }) => storage)!,
  );
}

function servedResource(
  definition: Definition,
  version: DefinitionVersion,
  conversions?: ConversionCache,
): ServedResource {
  const { group, names, versions } = definition.spec;
  const storage = versions.find((each) => each.storage) ?? version;
  const apiVersion = `${group}/${version.name}`;
  const schemaOf = (each: DefinitionVersion) => each.schema?.openAPIV3Schema ?? {};
  const conversion = new VersionConversion(
    { apiVersion, schema: schemaOf(version) },
    { apiVersion: `${group}/${storage.name}`, schema: schemaOf(storage) },
  );
  const { status } = version.subresources ?? {};
  const scale = scalePaths(version);
  return {
    resource: describe(definition, version),
    apiVersion,
    storageKey: `${names.plural}.${group}`,
    storedAs: { version: storage.name },
    custom: true,
    listKind: names.listKind ?? `${names.kind}List`,
    strategy: new CustomStrategy(version.schema?.openAPIV3Schema ?? {}, status !== undefined, scale),
    schema: version.schema?.openAPIV3Schema ?? {},
    printerColumns: version.additionalPrinterColumns ?? [],
    selectableFields: version.selectableFields?.map(({ jsonPath }) => jsonPath) ?? [],
    ...(scale && { scale }),
    ...(definition.metadata.deletionTimestamp && {
      closed: 'create not allowed while custom resource definition is terminating',
    }),
    ...(version.deprecated && { deprecation: deprecationOf(definition, version) }),
    ...(conversions && {
      prepare: () => conversions.prepare(apiVersion),
      convertForStorage: (object: KubeObject) => conversions.toStorage(object),
    }),
    isReadAsStored: conversion.isReadAsStored,
    fromStorage: (object) =>
      conversions && object.apiVersion !== apiVersion
        ? conversions.fromStorage(object, apiVersion)
        : conversion.fromStorage(object),
    toStorage: (object) => conversion.toStorage(object),
  };
}

/**
 * Returns the warning for users of a deprecated version: it names the newest version that they can use instead, unless the definition has a
 * text.
 */
function deprecationOf({ spec }: Definition, { name, deprecationWarning }: DefinitionVersion): string {
  const { group, names, versions } = spec;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [newest] = versions
    .filter((each) => each.served && !each.deprecated && compareVersions(each.name, name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  const advice = newest ? `; use ${group}/${newest.name} ${names.kind}` : '';
  return `${group}/${name} ${names.kind} is deprecated${advice}`;
}

function describe({ spec }: Definition, version: DefinitionVersion): ApiResource {
  const { plural, singular, kind, shortNames = [], categories = [] } = spec.names;
  const subresources: ApiSubresource[] = [];
  if (version.subresources?.status) subresources.push({ name: 'status', kind, verbs: SUBRESOURCE_VERBS });
  if (version.subresources?.scale) {
    subresources.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: SUBRESOURCE_VERBS });
  }
  return {
    group: spec.group,
    version: version.name,
    plural,
    singular: singular ?? kind.toLowerCase(),
    kind,
    namespaced: spec.scope === 'Namespaced',
    shortNames,
    categories,
    verbs: VERBS,
    subresources,
  };
}

function scalePaths({ subresources }: DefinitionVersion): ScalePaths | undefined {
  if (!subresources?.scale) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources.scale;
  return {
    specReplicas: specReplicasPath,
    statusReplicas: statusReplicasPath,
    ...(labelSelectorPath && { labelSelector: labelSelectorPath }),
  };
}
