import { Injectable } from '@nestjs/common';
import type { WatchState } from '../client/watch/watch.reporter.js';
import type { Clock } from 'kube-common';
import { KOPF_CHANNELS } from '../diagnostics/channels.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import { WatcherSet, type WatcherStatus } from '../watching/watcher.set.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { qualifiedName } from '../resources/resources.js';
import { SeriesCache } from './series.cache.js';

const STATES: readonly WatchState[] = [
  'idle',
  'listing',
  'watching',
  'backingOff',
  'forbidden',
  'gone',
  'paused',
  'stopped',
];

/** States in which nothing is to come from the server. */
const SILENT: ReadonlySet<WatchState> = new Set(['idle', 'paused', 'stopped', 'gone', 'forbidden']);

/** The metrics of the watches: those of all namespaces of a resource together. */
@Injectable()
export class WatchMetrics implements MetricGroup {
  constructor(
    @InjectOwn(WatcherSet) private readonly watchers: WatcherSet,
    @InjectOwn(OperatorLifecycle) private readonly lifecycle: OperatorLifecycle,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  start(context: MetricContext): void {
    this.readStates(context);
    this.readUnserved(context);
    this.countIncidents(context);
  }

  private readStates({ families }: MetricContext): void {
    families.gauge('kopf_watch_state', 'Watches by their states.', ['resource', 'state'], (set) => {
      for (const [resource, statuses] of this.byResource()) {
        for (const state of STATES) {
          set({ resource, state }, statuses.filter((status) => status.state === state).length);
        }
      }
    });
    families.gauge(
      'kopf_watch_objects',
      'Objects that exist, as far as the watches have seen.',
      ['resource'],
      (set) => {
        for (const [resource, statuses] of this.byResource()) {
          set(
            { resource },
            statuses.reduce((sum, { objects }) => sum + objects, 0),
          );
        }
      },
    );
    families.gauge(
      'kopf_watch_lag_seconds',
      'Seconds since the API server was heard of last, by the watch that is silent for longest; 0 where nothing is to come.',
      ['resource'],
      (set) => {
        for (const [resource, statuses] of this.byResource()) {
          set({ resource }, Math.max(0, ...statuses.map((status) => this.lagOf(status))));
        }
      },
    );
  }

  private readUnserved({ families }: MetricContext): void {
    families.gauge(
      'kopf_unserved_handlers',
      'Methods whose resource the cluster does not serve, so that they are not called for it.',
      [],
      (set) => set({}, new Set(this.watchers.unserved.flatMap(({ handlers }) => handlers)).size),
    );
  }

  private countIncidents({ families, subscriptions }: MetricContext): void {
    const restarts = families.counter('kopf_watch_restarts_total', 'Connections and lists after the first ones.', [
      'resource',
    ]);
    const failures = families.counter('kopf_watch_failures_total', 'Unexpected interruptions of watches.', [
      'resource',
    ]);
    const bookmarks = families.counter('kopf_watch_bookmarks_total', 'Bookmarks that have come.', ['resource']);
    const series = new SeriesCache(qualifiedName, (resource) => ({
      restart: restarts({ resource }),
      failure: failures({ resource }),
      bookmark: bookmarks({ resource }),
    }));
    subscriptions.observe(this.watchers.changes$, ({ resource }) => void series.of(resource));
    subscriptions.subscribe(KOPF_CHANNELS.watch, ({ resource, what }) => series.of(resource)[what].add());
  }

  private byResource(): ReadonlyMap<string, readonly WatcherStatus[]> {
    const found = new Map<string, WatcherStatus[]>();
    for (const status of this.watchers.states) {
      const name = qualifiedName(status.resource);
      const others = found.get(name);
      if (others) others.push(status);
      else found.set(name, [status]);
    }
    return found;
  }

  private lagOf({ state, since, lastEventAt = -Infinity }: WatcherStatus): number {
    if (SILENT.has(state)) return 0;
    const operatorSince = this.lifecycle.since ?? -Infinity;
    // A connection that the server has accepted is a sign of life.
    const heard = Math.max(lastEventAt, operatorSince, state === 'watching' ? since : -Infinity);
    return Math.max(0, (this.clock.now() - heard) / 1000);
  }
}
