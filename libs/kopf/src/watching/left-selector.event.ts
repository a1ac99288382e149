import { Deferred } from 'kube-common';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';

/** The event of an object that still exists, but is not selected any more, so that no other events of it come. */
export class LeftSelectorEvent implements WatchEvent {
  readonly type = 'MODIFIED';
  private readonly release = new Deferred<boolean>();
  private readonly news = new Deferred();

  /** @param object as it is outside of the selection. */
  constructor(readonly object: KubeObject) {}

  /** Resolves when the event was processed, with whether nothing is left to do for the object. */
  get settled(): Promise<boolean> {
    return this.release.promise;
  }

  /** Resolves when there are news of the object, so that waiting for anything makes no sense. */
  get outdated(): Promise<void> {
    return this.news.promise;
  }

  /** Tells that the event was processed. */
  settle(isDone: boolean): void {
    this.release.resolve(isDone);
  }

  /** Tells that there are news of the object. */
  outdate(): void {
    this.news.resolve();
  }
}
