import type { WatcherSet } from '../../../watching/watcher.set.js';
import { errorText } from 'kube-common';
import { qualifiedName } from '../../../resources/resources.js';
import type { InspectedWatch } from '../../inspection.types.js';
import type { WatchStatistics } from '../history/watch.statistics.js';
/** Describes the watches: if they are connected, how far they are, and how long events wait. */
export function inspectWatches(watchers: WatcherSet, statistics: WatchStatistics): readonly InspectedWatch[] {
  const loads = new Map<string, number>();
  for (const { resource, waiting } of watchers.loads) {
    const name = qualifiedName(resource);
    loads.set(name, (loads.get(name) ?? 0) + waiting);
  }
  return watchers.states.map((status) => {
    const { resource, namespace, state, since, lastEventAt, resourceVersion, objects, restarts, lastError } = status;
    const name = qualifiedName(resource);
    return {
      resource: name,
      kind: resource.kind,
      namespace,
      state,
      since,
      lastEventAt,
      resourceVersion,
      objects,
      restarts,
      ...statistics.of(resource, namespace),
      ...(lastError !== undefined && { error: errorText(lastError) }),
      backlog: loads.get(name) ?? 0,
      lag: statistics.lagOf(resource),
    };
  });
}
