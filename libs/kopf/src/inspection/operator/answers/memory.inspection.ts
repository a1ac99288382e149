import { getHeapStatistics } from 'node:v8';
import type { ObjectRun } from '../../../background/object.background.js';
import { qualifiedName } from '../../../resources/resources.js';
import type { InspectedDaemon, InspectedMemory } from '../../inspection.types.js';
import type { InspectedServices } from '../inspected.services.js';

/** The most daemons and timers of one answer. */
const MOST_DAEMONS = 500;

/** Describes the memory of the operator. */
export function inspectMemory({ operator, indices, lifecycle, clock }: InspectedServices): InspectedMemory {
  const runs = [...(lifecycle.engine?.background.all ?? [])].filter(isDaemonOrTimer);
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const toWallClock = clock.now() - clock.monotonic();
  const daemons = runs.slice(0, MOST_DAEMONS).map((run): InspectedDaemon => {
    const { resource, metadata } = run.object;
    const { name = '', namespace, uid } = metadata;
    const { kind } = run.handler;
    return {
      resource: qualifiedName(resource),
      namespace,
      name,
      uid,
      handler: run.handler.id,
      kind,
      state: run.isStopping ? 'stopping' : 'running',
      ...(kind === 'timer' && run.due > 0 && { nextAt: run.due + toWallClock }),
    };
  });
  return {
    objects: operator.objects,
    indices: indices.names.map((id) => ({ id, ...countIndex(indices.get(id)) })),
    daemons,
    totals: countBackground({ lifecycle }),
    heap: { used, limit },
  };
}

/** Counts the daemons and the timers that exist. */
export function countBackground({ lifecycle }: Pick<InspectedServices, 'lifecycle'>): InspectedMemory['totals'] {
  const counts = { daemons: 0, timers: 0 };
  for (const { handler } of lifecycle.engine?.background.all ?? []) {
    if (handler.kind === 'daemon') counts.daemons += 1;
    if (handler.kind === 'timer') counts.timers += 1;
  }
  return counts;
}

/** Whether a run is of a daemon or a timer: handlers of logs and of related objects run in the background, too. */
export function isDaemonOrTimer<Run extends Pick<ObjectRun, 'handler'>>(
  run: Run,
): run is Run & { readonly handler: { readonly kind: 'daemon' | 'timer' } } {
  return run.handler.kind === 'daemon' || run.handler.kind === 'timer';
}

function countIndex(index: { readonly size: number } & Iterable<unknown>): { keys: number; values: number } {
  let values = 0;
  for (const entry of index) {
    const [, found] = entry as readonly [unknown, Iterable<unknown>];
    for (const _ of found) values += 1;
  }
  return { keys: index.size, values };
}
