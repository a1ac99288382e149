import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { WatcherSet, type WatcherStatus } from './watcher.set.js';
import { InspectedAs } from '../common/inspection.js';

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
  constructor(@Inject(WatcherSet) private readonly watchers: WatcherSet) {}

  /** The states of all watches now. */
  get states(): readonly WatcherStatus[] {
    return this.watchers.states;
  }

  /** The changes of the watches' states as they happen. */
  get changes$(): Observable<WatcherStatus> {
    return this.watchers.changes$;
  }
}
