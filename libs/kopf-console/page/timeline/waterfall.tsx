import { useState } from 'preact/hooks';
import type { InspectedProgress } from '../api/api.types.js';
import { Icon, type IconName } from '../components/icon.js';
import type { TimedEvent } from '../live/recent.events.js';
import { formatDuration, formatExact } from '../platform/format.js';
import { present } from '../platform/server.clock.js';
import { useStore } from '../platform/store.js';
import { createAxis, findAttempts, type Attempt, type AttemptLane } from './attempts.js';

const OUTCOMES: Readonly<Record<string, readonly [text: string, icon: IconName]>> = {
  succeeded: ['succeeded', 'check'],
  retried: ['failed, and is repeated', 'failing'],
  failed: ['failed for good', 'close'],
  running: ['runs', 'inWork'],
};

/** Calls at each event, and reviews: they are many, and have no later attempts to wait for. */
const SECONDARY: ReadonlySet<string> = new Set(['index', 'event', 'validate', 'mutate', 'convert']);

/** Places attempts in the width of the waterfall. */
interface Scale {
  readonly axis: (time: number) => number;
  /** The present time in seconds of the log; absent if the log does not say when it began. */
  readonly now: number | undefined;
  /** When the log began, in milliseconds since the epoch. */
  readonly beganAt: number | undefined;
}

/** The attempts of all handlers of an object, one line for each handler, and when the next ones are due. */
export function Waterfall({
  events,
  progress,
  beganAt,
}: {
  readonly events: readonly TimedEvent[];
  readonly progress: readonly InspectedProgress[];
  /** When the log began, in milliseconds since the epoch. */
  readonly beganAt: number | undefined;
}) {
  const current = useStore(present);
  const [shownAll, setShownAll] = useState(false);
  const all = findAttempts(events);
  const main = all.filter(({ attempts }) => attempts.some(({ reason }) => !SECONDARY.has(reason)));
  const lanes = shownAll ? all : main;
  if (all.length === 0) return null;
  const dues = findDues(progress, lanes, beganAt);
  const attempts = lanes.flatMap((lane) => lane.attempts);
  const last = Math.max(...attempts.map(({ start, end }) => end ?? start));
  // The clock is updated once a second: what has just happened would be later than it.
  const now = beganAt === undefined ? undefined : Math.max((current - beganAt) / 1000, last);
  const goesOn = dues.size > 0 || attempts.some(({ end }) => end === undefined);
  const axis = createAxis([
    ...attempts.flatMap(({ start, end }) => [start, end ?? start]),
    ...dues.values(),
    ...(now !== undefined && goesOn ? [now] : []),
  ]);
  const scale = { axis, now, beganAt };
  return (
    <div class="waterfall">
      {lanes.map((lane) => (
        <Lane key={lane.handler} lane={lane} scale={scale} due={dues.get(lane.handler)} />
      ))}
      {now !== undefined && goesOn && (
        <div class="lane" aria-hidden="true">
          <p class="lane-name" />
          <div class="lane-track lane-axis">
            <span class="lane-now" style={{ left: percent(axis(now)) }}>
              <span class="lane-line" style={{ '--lanes': lanes.length }} />
              now
            </span>
          </div>
        </div>
      )}
      <p class="soft waterfall-note">
        Longer stretches of time are drawn shorter. Point at an attempt for its details.{' '}
        {all.length > main.length && (
          <button type="button" class="link-button" onClick={() => setShownAll(!shownAll)}>
            {shownAll ? 'Leave out' : 'Show'} indices, events, and webhooks
          </button>
        )}
      </p>
    </div>
  );
}

/** Finds when handlers with a line are due, in seconds of the log. */
function findDues(progress: readonly InspectedProgress[], lanes: readonly AttemptLane[], beganAt: number | undefined) {
  const dues = new Map<string, number>();
  if (beganAt === undefined) return dues;
  for (const { handler, dueAt, state } of progress) {
    const isOpen = state !== 'succeeded' && state !== 'failed' && state !== 'running';
    if (dueAt === undefined || !isOpen || !lanes.some((lane) => lane.handler === handler)) continue;
    dues.set(handler, (dueAt - beganAt) / 1000);
  }
  return dues;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(3)}%`;
}

function Lane({
  lane: { handler, attempts },
  scale,
  due,
}: {
  readonly lane: AttemptLane;
  readonly scale: Scale;
  readonly due: number | undefined;
}) {
  const { axis, now } = scale;
  const first = attempts[0];
  const last = attempts[attempts.length - 1];
  const until = due ?? last.end ?? now ?? last.start;
  return (
    <div class="lane">
      <p class="lane-name mono" title={handler}>
        {handler}
      </p>
      <div class="lane-track">
        <span
          class="lane-wait"
          style={{ left: percent(axis(first.start)), width: percent(axis(until) - axis(first.start)) }}
        />
        <ol class="lane-attempts" aria-label={`Attempts of ${handler}`}>
          {attempts.map((attempt) => (
            <Bar key={`${attempt.reason}/${attempt.number}/${attempt.start}`} attempt={attempt} scale={scale} />
          ))}
          {due !== undefined && (
            <li class="lane-due" style={{ left: percent(axis(due)) }} title="The next attempt">
              <span class="sr-only">Then the next attempt is due.</span>
              <Icon name="waiting" />
            </li>
          )}
        </ol>
      </div>
    </div>
  );
}

function Bar({ attempt, scale: { axis, now, beganAt } }: { readonly attempt: Attempt; readonly scale: Scale }) {
  const { number, start, end, reason, error } = attempt;
  const outcome = attempt.outcome ?? (end === undefined ? 'running' : 'succeeded');
  const [words, icon] = OUTCOMES[outcome];
  const width = axis(end ?? Math.max(now ?? start, start)) - axis(start);
  const lasted = end === undefined ? '' : ` after ${formatDuration(end - start)}`;
  const began = beganAt === undefined ? '' : `${formatExact(beganAt + start * 1000)}: `;
  const text = `${began}${reason}, attempt ${number} ${words}${lasted}${error ? `: ${error}` : ''}`;
  return (
    <li class={`bar bar-${outcome}`} style={{ left: percent(axis(start)), width: percent(width) }} title={text}>
      <Icon name={icon} />
      <span class="sr-only">{text}</span>
    </li>
  );
}
