import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { UnservedResource } from '../resources/resource-selector.js';
import { WatcherSet, type WatcherStatus } from './watcher.set.js';
import { InspectedAs } from '../common/inspection.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * Tells how the watches are: one for each resource and namespace that the operator serves.
 *
 * @example
 * watcher.changes$.subscribe(({ resource, state }) => console.log(resource.plural, state));
 */
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
   * The resources of handlers that the cluster does not serve, so that there is no watch for them; with the reasons, the methods that name
   * them, and similar resources that can be meant. It is empty before the resources were looked up.
   */
  get unserved(): readonly UnservedResource[] {
    return this.watchers.unserved;
  }

  /** The changes of the watches' states as they happen. */
  get changes$(): Observable<WatcherStatus> {
    return this.watchers.changes$;
  }
}
