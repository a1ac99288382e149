import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { Resource } from '../resources/resources.js';

/** Reads a whole object; `undefined` if it does not exist any more. */
export type RelatedReader = (
  resource: Resource,
  identity: { readonly name: string; readonly namespace?: string; readonly uid: string },
) => Promise<KubeObject | undefined>;

/** Follows the metadata of the objects of some resources, and decides itself which of them it remembers. */
export interface MetadataFollower {
  readonly selectors: readonly ResourceSelector[];
  /** Takes the resources that are watched for it, of all that the cluster has; what it knows of others is to be forgotten. */
  bind(resources: readonly Resource[], available: readonly Resource[], read: RelatedReader): void;
  /** Takes an event. Others wait until the promise, if any, is settled. */
  take(event: KubeWatchEvent, resource: Resource): void | Promise<void>;
  /** Tells whether everything of the resources was listed. */
  setComplete(isComplete: boolean): void;
  /** Forgets everything, for another session. */
  reset(): void;
}
