import { formatAbsolute, formatDuration, formatExact, formatRelative } from '../platform/format.js';
import { times } from '../platform/preferences.js';
import { present } from '../platform/server.clock.js';
import { useStore } from '../platform/store.js';

/** A time in milliseconds since the epoch, relative to now or absolute as the viewer likes it. */
export function Time({ at }: { readonly at: number | undefined }) {
  const now = useStore(present);
  const form = useStore(times);
  if (at === undefined) return <span class="soft">–</span>;
  return (
    <time class="time" dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {form === 'relative' ? formatRelative(at, now) : formatAbsolute(at, now)}
    </time>
  );
}

/** The running time since something began. */
export function Since({ at }: { readonly at: number }) {
  const now = useStore(present);
  return (
    <time class="time" dateTime={new Date(at).toISOString()} title={`since ${formatExact(at)}`}>
      {formatDuration(Math.max(0, Math.round((now - at) / 1000)))}
    </time>
  );
}

/** A duration in seconds. */
export function Duration({ seconds }: { readonly seconds: number | undefined }) {
  if (seconds === undefined) return <span class="soft">–</span>;
  return <span class="number-text">{formatDuration(seconds)}</span>;
}
