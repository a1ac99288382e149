import type { WatchReading } from '../inspection/operator.readings.js';
import type { PartReport } from './health.report.js';

/** The states in which the API server is expected to send something. */
const EXPECTANT: ReadonlySet<string> = new Set(['listing', 'watching', 'backingOff']);
/** The states in which changes are missed. */
const IMPAIRED: ReadonlySet<string> = new Set(['backingOff', 'forbidden', 'gone']);

/** The times by which silence is measured. */
export interface Silence {
  /** The present time, in milliseconds since the epoch. */
  readonly now: number;
  /** When the operator began to watch, in milliseconds since the epoch. */
  readonly since: number;
  /** The longest silence, in seconds. */
  readonly limit: number;
}

/**
 * Evaluates the liveness of the watches: none has ended on its own, and none that has ever received anything is silent for too long.
 */
export function evaluateLiveness(watchers: readonly WatchReading[], silence: Silence): PartReport {
  const dead = watchers.filter(({ state }) => state === 'stopped').map(nameOf);
  const silent = watchers.flatMap((watcher) => {
    const seconds = (silence.now - lastContactOf(watcher, silence.since)) / 1000;
    return seconds > silence.limit ? [`${nameOf(watcher)}: nothing for ${Math.round(seconds)} seconds`] : [];
  });
  const isDown = dead.length > 0 || silent.length > 0;
  return {
    status: isDown ? 'down' : 'up',
    total: watchers.length,
    ...(dead.length > 0 && { dead }),
    ...(silent.length > 0 && { silent }),
  };
}

/** Evaluates whether the watches are in sync: they have listed all objects, and receive all changes. */
export function evaluateSync(watchers: readonly WatchReading[], isStarting: boolean): PartReport {
  const listing = watchers.filter(({ state }) => state === 'listing' || state === 'idle').map(nameOf);
  const impaired = watchers.filter(({ state }) => IMPAIRED.has(state));
  const isDegraded = impaired.length > 0;
  return {
    status: isStarting && listing.length > 0 ? 'down' : isDegraded ? 'degraded' : 'up',
    total: watchers.length,
    ...(listing.length > 0 && { listing }),
    ...(isDegraded && { impaired: impaired.map(describe) }),
  };
}

/** Returns the time of the last contact with the API server; never for a watch that has received nothing yet, which is not silent. */
function lastContactOf({ state, since, lastEventAt }: WatchReading, operatorSince: number): number {
  if (!EXPECTANT.has(state) || lastEventAt === undefined) return Infinity;
  // A connection that the API server has accepted is a contact, too.
  return Math.max(lastEventAt, state === 'watching' ? since : -Infinity, operatorSince);
}

function describe(watcher: WatchReading): string {
  const { state, error } = watcher;
  return `${nameOf(watcher)}: ${state}${error === undefined ? '' : `, ${error}`}`;
}

function nameOf({ resource, namespace }: WatchReading): string {
  return `${resource}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
