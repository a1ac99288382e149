import type { KubeObject, WatchEvent } from '../objects/kube-object.js';

/** The event of an object that still exists, but is not selected any more, so that no other events of it come. */
export class LeftSelectorEvent implements WatchEvent {
  readonly type = 'MODIFIED';
  /** Resolves when the event was processed, with whether nothing is left to do for the object. */
  readonly settled: Promise<boolean>;
  /** Resolves when there are news of the object, so that waiting for anything makes no sense. */
  readonly outdated: Promise<void>;
  settle: (isDone: boolean) => void;
  outdate: () => void;

  /** @param object as it is outside of the selection. */
  constructor(readonly object: KubeObject) {
    this.settled = new Promise((resolve) => (this.settle = resolve));
    this.outdated = new Promise((resolve) => (this.outdate = resolve));
  }
}
