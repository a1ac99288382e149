import type { WatchEvent, WatchEventType } from '../objects/kube-object.js';
import { ObjectCause, type CauseOrigin } from './object.cause.js';

/** An event as it came. */
export class WatchingCause extends ObjectCause {
  constructor(
    origin: CauseOrigin,
    readonly event: WatchEvent,
  ) {
    super(origin);
  }

  get type(): WatchEventType {
    return this.event.type;
  }
}
