import type { KubeObject, WatchEvent } from '../objects/kube-object.js';

/**
 * The state of an object that the operator has read itself, as nothing was to be expected of the watch:
 * it is silent, or a patch that the API server does not accept makes no event.
 *
 * Handlers of changes, daemons, and the finalizer follow it. Handlers of events and indices do not, as they follow the watch.
 */
export class ReadEvent implements WatchEvent {
  readonly type = 'MODIFIED';

  constructor(readonly object: KubeObject) {}
}
