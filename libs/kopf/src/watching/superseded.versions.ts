import { isOlderVersion, type KubeObject } from '../objects/kube-object.js';
import { objectKey } from './object.queues.js';

/** Checks whether a version is known to be at least as new as another one. Versions that are no numbers cannot be compared. */
function hasReached(version: string | undefined, other: string | undefined): boolean {
  return version !== undefined && other !== undefined && !isOlderVersion(version, other);
}

/**
 * Remembers up to which version the events of objects are history, as the operator has read what has become of them, and has forgotten them.
 * A version is forgotten when the watch has come as far.
 */
export class SupersededVersions {
  private readonly versions = new Map<string, string>();

  get size(): number {
    return this.versions.size;
  }

  /** Takes note that events up to the version tell of nothing that is not known. */
  add(object: KubeObject, version: string | undefined): void {
    // Of versions that are no numbers, it would never be known that the watch has reached them.
    if (version !== undefined && hasReached(version, '1')) this.versions.set(objectKey(object), version);
  }

  /** Checks whether the state of an event is history. Events come in the order of their versions. */
  covers(object: KubeObject): boolean {
    if (this.versions.size === 0) return false;
    const { resourceVersion } = object.metadata;
    if (hasReached(this.versions.get(objectKey(object)), resourceVersion)) return true;
    for (const [key, version] of this.versions) {
      if (!hasReached(resourceVersion, version)) break;
      this.versions.delete(key);
    }
    return false;
  }
}
