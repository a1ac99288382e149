import type { ServedResource } from './served.resource.js';

/** A group version with its resources. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

/** All resources that are served now. */
export class ResourceRegistry {
  private readonly versions = new Map<string, Map<string, Map<string, ServedResource>>>();
  private readonly listeners = new Set<() => void>();
  private byStorageKey: Map<string, ServedResource[]> | undefined;

  /** Serves a resource, in place of an earlier one of the same name. */
  add(served: ServedResource): void {
    const { group, version, plural } = served.resource;
    let versions = this.versions.get(group);
    if (!versions) this.versions.set(group, (versions = new Map<string, Map<string, ServedResource>>()));
    let resources = versions.get(version);
    if (!resources) versions.set(version, (resources = new Map<string, ServedResource>()));
    resources.set(plural, served);
    this.changed();
  }

  /** Stops serving a resource, in all its versions. */
  remove(group: string, plural: string): void {
    const versions = this.versions.get(group);
    if (!versions) return;
    for (const [version, resources] of versions) {
      resources.delete(plural);
      if (resources.size === 0) versions.delete(version);
    }
    if (versions.size === 0) this.versions.delete(group);
    this.changed();
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.versions.get(group)?.get(version)?.get(plural);
  }

  hasVersion(group: string, version: string): boolean {
    return this.versions.get(group)?.has(version) === true;
  }

  /** Returns a resource in the version that stands first, as controllers see it. */
  findAny(group: string, plural: string): ServedResource | undefined {
    for (const resources of this.versions.get(group)?.values() ?? []) {
      const found = resources.get(plural);
      if (found) return found;
    }
    return undefined;
  }

  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    const [version, group = ''] = apiVersion.split('/').reverse() as [string, string?];
    for (const served of this.versions.get(group)?.get(version)?.values() ?? []) {
      if (served.resource.kind === kind) return served;
    }
    return undefined;
  }

  /** Returns the same objects in other versions, or of another group. */
  equivalents(served: ServedResource): ServedResource[] {
    this.byStorageKey ??= this.groupByStorageKey();
    return (this.byStorageKey.get(served.storageKey) ?? []).filter((each) => each !== served);
  }

  groups(): ServedGroup[] {
    return [...this.versions.keys()].map((name) => this.group(name)!);
  }

  group(name: string): ServedGroup | undefined {
    const versions = this.versions.get(name);
    if (!versions) return undefined;
    const served = [...versions].map(([version, resources]) => ({ version, resources: [...resources.values()] }));
    const custom = served.every(({ resources }) => resources.every((each) => each.custom));
    if (custom) served.sort((a, b) => compareVersions(a.version, b.version));
    return { name, versions: served };
  }

  /** Returns one entry per collection of objects, also for those that are served in several versions. */
  stored(): ServedResource[] {
    const byKey = new Map<string, ServedResource>();
    for (const { versions } of this.groups()) {
      for (const served of versions.flatMap((each) => each.resources)) {
        if (!byKey.has(served.storageKey) && served.resource.verbs.includes('list'))
          byKey.set(served.storageKey, served);
      }
    }
    return [...byKey.values()];
  }

  /** Calls the listener after each change. @returns the function that ends it */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private groupByStorageKey(): Map<string, ServedResource[]> {
    const byKey = new Map<string, ServedResource[]>();
    for (const { versions } of this.groups()) {
      for (const served of versions.flatMap(({ resources }) => resources)) {
        const same = byKey.get(served.storageKey);
        if (same) same.push(served);
        else byKey.set(served.storageKey, [served]);
      }
    }
    return byKey;
  }

  private changed(): void {
    this.byStorageKey = undefined;
    for (const listener of this.listeners) listener();
  }
}

/** Orders versions as the server does: `v2`, `v1`, `v1beta2`, `v1alpha1`, then others by name. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return right[index]! - left[index]!;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(version: string): [number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
