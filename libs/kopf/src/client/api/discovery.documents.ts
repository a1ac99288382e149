import type { Resource } from '../../resources/resources.js';

/** A group in an aggregated discovery document. */
export interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    /** `Stale` if the server of the group did not answer. */
    readonly freshness?: string;
    readonly resources?: readonly AggregatedResource[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** All groups with all their resources in one document. */
export interface AggregatedDiscovery {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly AggregatedGroup[];
}

/** A group in a plain discovery document. */
export interface PlainGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version?: string };
}

/** The resources of one version of a group in a plain discovery document. */
export interface PlainResources {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly verbs?: readonly string[];
  }[];
}

export function isAggregated(document: unknown): document is AggregatedDiscovery {
  return (document as { kind?: unknown } | undefined)?.kind === 'APIGroupDiscoveryList';
}

/** Reads the resources of a group of an aggregated document. The first version is the preferred one; in the core group, all are. */
export function readAggregated(group: AggregatedGroup): Resource[] {
  const name = group.metadata?.name ?? '';
  return (group.versions ?? []).flatMap(({ version, resources = [] }, index) =>
    resources.flatMap((item) => {
      const kind = item.responseKind?.kind;
      // Some resources exist only for their subresources.
      if (!kind) return [];
      return {
        group: name,
        version,
        plural: item.resource,
        kind,
        singular: item.singularResource || kind.toLowerCase(),
        shortNames: item.shortNames ?? [],
        categories: item.categories ?? [],
        subresources: (item.subresources ?? []).map(({ subresource }) => subresource),
        namespaced: item.scope === 'Namespaced',
        preferred: !name || index === 0,
        verbs: item.verbs ?? [],
      };
    }),
  );
}

/** Reads the resources of one version of a group of a plain document, which lists subresources among the resources. */
export function readPlain(group: string, version: string, preferred: boolean, document: PlainResources): Resource[] {
  const subresources = new Map<string, string[]>();
  const items = (document.resources ?? []).filter(({ name }) => {
    const slash = name.indexOf('/');
    if (slash < 0) return true;
    const plural = name.slice(0, slash);
    subresources.set(plural, [...(subresources.get(plural) ?? []), name.slice(slash + 1)]);
    return false;
  });
  return items.map(({ name, kind, singularName, namespaced, shortNames, categories, verbs }) => ({
    group,
    version,
    plural: name,
    kind,
    singular: singularName || kind.toLowerCase(),
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    subresources: subresources.get(name) ?? [],
    namespaced,
    preferred,
    verbs: verbs ?? [],
  }));
}
