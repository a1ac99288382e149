import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { WatchReading } from '../inspection/operator.readings.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { qualifiedName } from '../resources/resources.js';
import { SeriesCache } from './series.cache.js';

const STATES = ['idle', 'listing', 'watching', 'backingOff', 'forbidden', 'gone', 'paused', 'stopped'] as const;

/** The states in which the API server is not expected to send anything. */
const SILENT: ReadonlySet<string> = new Set(['idle', 'paused', 'stopped', 'gone', 'forbidden']);

/** The metrics of the watches: those of all namespaces of a resource together. */
@Injectable()
export class WatchMetrics implements MetricGroup {
  constructor(
    @Inject(OperatorReader) private readonly readings: OperatorReader,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  start(context: MetricContext): void {
    this.readStates(context);
    this.readUnserved(context);
    this.countIncidents(context);
  }

  private readStates({ families }: MetricContext): void {
    families.gauge('kopf_watch_state', 'Watches by their states.', ['resource', 'state'], (set) => {
      for (const [resource, watches] of this.byResource()) {
        for (const state of STATES) {
          set({ resource, state }, watches.filter((watch) => watch.state === state).length);
        }
      }
    });
    families.gauge(
      'kopf_watch_objects',
      'Objects that exist, as far as the watches have seen.',
      ['resource'],
      (set) => {
        for (const [resource, watches] of this.byResource()) {
          set(
            { resource },
            watches.reduce((sum, { objects }) => sum + objects, 0),
          );
        }
      },
    );
    families.gauge(
      'kopf_watch_lag_seconds',
      'Seconds since the API server was heard of last, by the watch that is silent for longest; 0 where nothing is to come.',
      ['resource'],
      (set) => {
        const { since = -Infinity } = this.readings.status();
        for (const [resource, watches] of this.byResource()) {
          set({ resource }, Math.max(0, ...watches.map((watch) => this.lagOf(watch, since))));
        }
      },
    );
  }

  private readUnserved({ families }: MetricContext): void {
    families.gauge(
      'kopf_unserved_handlers',
      'Methods whose resource the cluster does not serve, so that they are not called for it.',
      [],
      (set) => set({}, new Set(this.readings.status().unserved.flatMap(({ handlers }) => handlers)).size),
    );
  }

  private countIncidents({ families, stream }: MetricContext): void {
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
    stream.on('watchState', ({ resource }) => void series.of(resource));
    stream.on('watch', ({ resource, what }) => series.of(resource)[what].add());
  }

  private byResource(): ReadonlyMap<string, readonly WatchReading[]> {
    const found = new Map<string, WatchReading[]>();
    for (const watch of this.readings.watches()) {
      const others = found.get(watch.resource);
      if (others) others.push(watch);
      else found.set(watch.resource, [watch]);
    }
    return found;
  }

  private lagOf({ state, since, lastEventAt = -Infinity }: WatchReading, operatorSince: number): number {
    if (SILENT.has(state)) return 0;
    // A connection that the API server has accepted is a contact, too.
    const heard = Math.max(lastEventAt, operatorSince, state === 'watching' ? since : -Infinity);
    return Math.max(0, (this.clock.now() - heard) / 1000);
  }
}
