import type { WatcherSet } from '../../../watching/watcher.set.js';
import { qualifiedName } from '../../../resources/resources.js';
import type { InspectedWatch } from '../../inspection.types.js';
import type { QueueReading } from '../../operator.readings.js';
import type { WatchStatistics } from '../history/watch.statistics.js';
import { readWatch } from '../operator.reader.js';

/** Describes the watches: their states, their interruptions, and how long events wait. */
export function inspectWatches(
  watchers: WatcherSet,
  queues: readonly QueueReading[],
  statistics: WatchStatistics,
): readonly InspectedWatch[] {
  const loads = new Map(queues.map(({ resource, waiting }) => [resource, waiting]));
  return watchers.states.map((status) => {
    const { resource, namespace } = status;
    return {
      ...readWatch(status),
      ...statistics.of(resource, namespace),
      backlog: loads.get(qualifiedName(resource)) ?? 0,
      lag: statistics.lagOf(resource),
    };
  });
}
