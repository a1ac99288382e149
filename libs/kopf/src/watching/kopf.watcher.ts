import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { UnservedResource } from '../resources/resource-selector.js';
import { WatcherSet, type WatcherStatus } from './watcher.set.js';
import { InspectedAs } from '../common/inspection.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The states of the watches: one for each resource and namespace that the operator serves. */
@Injectable()
@InspectedAs<KopfWatcher>(({ states }) => ({ states }))
export class KopfWatcher {
  /** @internal */
  constructor(@InjectOwn(WatcherSet) private readonly watchers: WatcherSet) {}

  /** The states of all watches now. */
  get states(): readonly WatcherStatus[] {
    return this.watchers.states;
  }

  /**
   * The resources of handlers that the cluster does not serve and that are not watched for this reason; each with the reason, the methods
   * that name it, and similar resources that may be meant. Empty until the resources were looked up.
   */
  get unserved(): readonly UnservedResource[] {
    return this.watchers.unserved;
  }

  /** The changes of the watches' states. */
  get changes$(): Observable<WatcherStatus> {
    return this.watchers.changes$;
  }
}
