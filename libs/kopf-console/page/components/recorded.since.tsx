import { useOverview } from '../layout/overview.context.js';
import { formatAbsolute, formatExact } from '../platform/format.js';
import { present } from '../platform/server.clock.js';
import { useStore } from '../platform/store.js';

/** Names the time from which on calls, reviews, and events are recorded: `since 15:33:59`. */
export function RecordedSince() {
  const at = useOverview()?.recordedSince;
  const now = useStore(present);
  if (at === undefined) return <>since this page was opened</>;
  return (
    <>
      since{' '}
      <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
        {formatAbsolute(at, now)}
      </time>
    </>
  );
}
