// discovery: the documents about the served resources: discovery, and OpenAPI in openapi/.
// Made from the registry each time it changes; nothing here serves requests.
// May import: common, errors, resources, typed.

import { createHash } from 'node:crypto';
import { stringifyJson } from 'kube-common';
import type { ServedResource } from '../resources/served.resource.js';
import type { ResourceRegistry, ServedGroup, ServedVersion } from '../resources/resource.registry.js';

const WRITING_VERBS = ['patch', 'create', 'update'];

/** The documents that show clients what is served, in the old form and in the aggregated one. */
export class DiscoveryDocuments {
  /** The aggregated documents as they are sent, until the registry changes. */
  private readonly texts = new Map<boolean, string>();

  constructor(private readonly registry: ResourceRegistry) {
    registry.subscribe(() => this.texts.clear());
  }

  coreVersions(address: string): object {
    const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses };
  }

  groupList(): object {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: this.namedGroups().map(groupEntry) };
  }

  group(name: string): object | undefined {
    const group = this.registry.group(name);
    return name && group ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) } : undefined;
  }

  resourceList(group: string, version: string): object | undefined {
    const found = this.registry.group(group)?.versions.find((each) => each.version === version);
    if (!found) return undefined;
    const resources = found.resources.flatMap(resourceEntries);
    // The document of the core group is as old as that: it has no version.
    const own = group === '' ? {} : { apiVersion: 'v1' };
    return { kind: 'APIResourceList', ...own, groupVersion: groupVersion(group, version), resources };
  }

  /** Returns the aggregated document, as JSON. @param core whether the core group is asked for, or all other groups */
  aggregated(core: boolean): string {
    const known = this.texts.get(core);
    if (known !== undefined) return known;
    const text = stringifyJson(this.aggregate(core));
    this.texts.set(core, text);
    return text;
  }

  private aggregate(core: boolean): object {
    const groups = core ? [this.registry.group('')!] : this.namedGroups();
    const items = groups.map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: versions.map(aggregatedVersion),
    }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  private namedGroups(): ServedGroup[] {
    return this.registry.groups().filter(({ name }) => name !== '');
  }
}

function groupEntry({ name, versions }: ServedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/**
 * Returns the verbs that discovery announces. While the CRD is being deleted, there are fewer than the server still accepts for
 * the sake of finalizers.
 */
function announcedVerbs({ resource: { verbs }, closed }: ServedResource): readonly string[] {
  return closed === undefined ? verbs : verbs.filter((verb) => !WRITING_VERBS.includes(verb));
}

function resourceEntries(served: ServedResource): object[] {
  const { resource } = served;
  const verbs = announcedVerbs(served);
  const { plural, singular, namespaced, kind, shortNames, categories, subresources } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(verbs.includes('watch') && { storageVersionHash: storageVersionHash(served) }),
  };
  const others = subresources.map((each) => ({
    name: `${plural}/${each.name}`,
    singularName: '',
    namespaced,
    ...(each.group !== undefined && { group: each.group }),
    ...(each.version !== undefined && { version: each.version }),
    kind: each.kind,
    verbs: each.verbs,
  }));
  return [main, ...others];
}

function aggregatedVersion({ version, resources }: ServedVersion): object {
  return { version, resources: resources.map(aggregatedResource), freshness: 'Current' };
}

function aggregatedResource(served: ServedResource): object {
  const { resource, custom } = served;
  const verbs = announcedVerbs(served);
  const { plural, singular, namespaced, kind, shortNames, categories, subresources, group, version } = resource;
  return {
    resource: plural,
    responseKind: { group: custom ? group : '', version: custom ? version : '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((each) => ({
        subresource: each.name,
        responseKind: {
          group: each.group ?? (custom ? group : ''),
          version: each.version ?? (custom ? version : ''),
          kind: each.kind,
        },
        verbs: each.verbs,
      })),
    }),
  };
}

function groupVersion(group: string, version: string): string {
  return group ? `${group}/${version}` : version;
}

/** Returns a hash of the version and the kind in which the objects are stored: clients only compare it. */
function storageVersionHash({ resource, storedAs }: ServedResource): string {
  const { group, version, kind } = { ...resource, ...storedAs };
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
