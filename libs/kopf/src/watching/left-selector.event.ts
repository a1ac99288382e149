import { Deferred } from 'kube-common';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';

/**
 * The event of an object that still exists, but does not match the selector of its watch any more, so that no further events of it come.
 */
export class LeftSelectorEvent implements WatchEvent {
  readonly type = 'MODIFIED';
  private readonly release = new Deferred<boolean>();
  private readonly news = new Deferred();

  /** @param object the object as it is now, outside of the selector. */
  constructor(readonly object: KubeObject) {}

  /** Resolves when the event was processed: with `true` if nothing is left to do for the object. */
  get settled(): Promise<boolean> {
    return this.release.promise;
  }

  /** Resolves when a newer event of the object has come, so that the processing need not wait for anything. */
  get outdated(): Promise<void> {
    return this.news.promise;
  }

  /** Marks the event as processed. */
  settle(isDone: boolean): void {
    this.release.resolve(isDone);
  }

  /** Marks the event as outdated by a newer one of the object. */
  outdate(): void {
    this.news.resolve();
  }
}
