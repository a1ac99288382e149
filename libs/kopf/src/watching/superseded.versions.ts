import { isOlderVersion, type KubeObject } from '../objects/kube-object.js';
import { objectKey } from './object.queues.js';

/** Whether a version is known to be at least as new as another one. Versions that are not numbers cannot be compared. */
function hasReached(version: string | undefined, other: string | undefined): boolean {
  return version !== undefined && other !== undefined && !isOlderVersion(version, other);
}

/**
 * The superseded versions of objects: the operator has read a newer state of the object, and has forgotten the object afterwards, so older
 * events are dropped. A version is forgotten when the watch has reached it.
 */
export class SupersededVersions {
  private readonly versions = new Map<string, string>();

  get size(): number {
    return this.versions.size;
  }

  /** Marks all events of the object up to the version as superseded. */
  add(object: KubeObject, version: string | undefined): void {
    // It could not be determined when the watch reaches a version that is not a number.
    if (version !== undefined && hasReached(version, '1')) this.versions.set(objectKey(object), version);
  }

  /** Whether the state of an event is superseded. Must be called with the events in the order of their versions. */
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
