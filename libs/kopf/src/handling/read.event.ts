import type { KubeObject, WatchEvent } from '../objects/kube-object.js';

/**
 * A state of the object that the operator has read, as no event of the watch could be expected: the watch is silent, or a rejected patch
 * has caused no event.
 *
 * Handlers of changes, daemons, and the finalizer are handled with it. Handlers of events and indices are not, as they only see events of
 * the watch.
 */
export class ReadEvent implements WatchEvent {
  readonly type = 'MODIFIED';

  constructor(readonly object: KubeObject) {}
}
