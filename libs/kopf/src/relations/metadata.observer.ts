import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { Resource } from '../resources/resources.js';

/** A function that reads a whole object; `undefined` if it does not exist any more. */
export type RelatedReader = (
  resource: Resource,
  identity: { readonly name: string; readonly namespace?: string; readonly uid: string },
) => Promise<KubeObject | undefined>;

/** An observer of the metadata of the objects of some resources, which decides which of the objects it remembers. */
export interface MetadataObserver {
  readonly selectors: readonly ResourceSelector[];
  /** Sets the resources that are watched for the observer, of all that the cluster has; the observer forgets objects of others. */
  bind(resources: readonly Resource[], available: readonly Resource[], read: RelatedReader): void;
  /** Receives an event. Further events wait until the promise, if any, is settled. */
  take(event: KubeWatchEvent, resource: Resource): void | Promise<void>;
  /** Sets whether all objects of the resources were listed. */
  setComplete(isComplete: boolean): void;
  /** Forgets all objects, for another session. */
  reset(): void;
}
