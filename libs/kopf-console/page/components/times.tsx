import { formatAbsolute, formatBoth, formatDuration, formatExact, formatRelative } from '../platform/format.js';
import { times } from '../platform/preferences.js';
import { present } from '../platform/server.clock.js';
import { useStore } from '../platform/store.js';

/** A time in milliseconds since the epoch: relative to now and of the day, or only that of the day, as the viewer likes it. */
export function Time({
  at,
  short = false,
}: {
  readonly at: number | undefined;
  /** Whether there is no room for the time of the day. */
  readonly short?: boolean;
}) {
  const now = useStore(present);
  const form = useStore(times);
  if (at === undefined) return <span class="soft">–</span>;
  return (
    <time class="time" dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {form === 'absolute' ? formatAbsolute(at, now) : short ? formatRelative(at, now) : formatBoth(at, now)}
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
