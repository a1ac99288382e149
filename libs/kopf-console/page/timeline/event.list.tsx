import { useState } from 'preact/hooks';
import type { OperatorEvent, OperatorEventType } from '../api/api.types.js';
import { Differences } from '../components/differences.js';
import { Icon, type IconName } from '../components/icon.js';
import { hrefOfObject } from '../components/object.link.js';
import { Time } from '../components/times.js';
import type { TimedEvent } from '../live/recent.events.js';
import { formatCount } from '../platform/format.js';
import { foldRoutine, type RoutineRun } from './routine.runs.js';

/** Entries that are shown before the viewer asks for more. */
const SHOWN = 200;

const ICONS: Readonly<Record<OperatorEventType, IconName>> = {
  start: 'play',
  operation: 'user',
  change: 'change',
  call: 'handlers',
  outcome: 'check',
  effect: 'link',
  fault: 'fault',
  recovery: 'failing',
  violation: 'warning',
  note: 'info',
};

/** The function that finds the resource of a kind, so that objects are links. */
export type FindResource = (kind: string) => string | undefined;

/** Entries of the event log, in the order in which they are given. */
export function EventList({
  events,
  label,
  objects = false,
  folds = false,
  findResource,
}: {
  readonly events: readonly TimedEvent[];
  readonly label: string;
  /** Whether routine calls in a row are folded into one entry. @default false */
  readonly folds?: boolean;
  /** Whether the object that each entry is about is shown. @default false */
  readonly objects?: boolean;
  readonly findResource?: FindResource;
}) {
  const [shown, setShown] = useState(SHOWN);
  const entries = folds ? foldRoutine(events) : events;
  return (
    <>
      <ol class="events" aria-label={label}>
        {entries
          .slice(0, shown)
          .map((entry) =>
            'calls' in entry ? (
              <RoutineEntry
                key={`run/${entry.events.at(-1)?.number}`}
                run={entry}
                object={objects}
                findResource={findResource}
              />
            ) : (
              <EventEntry key={entry.number} event={entry} object={objects} findResource={findResource} />
            ),
          )}
      </ol>
      {entries.length > shown && (
        <p class="panel-foot">
          <button type="button" class="link-button" onClick={() => setShown(shown + 1000)}>
            {entries.length - shown} more
          </button>
        </p>
      )}
    </>
  );
}

/** Routine calls in a row, with their entries behind a summary. */
function RoutineEntry({
  run: { events, calls },
  object,
  findResource,
}: {
  readonly run: RoutineRun;
  readonly object: boolean;
  readonly findResource?: FindResource;
}) {
  const [{ actor, at, time }] = events;
  return (
    <li class="event tone-neutral">
      <span class="event-mark">
        <Icon name="handlers" />
      </span>
      <span class="event-time">{at === undefined ? `${time.toFixed(3)} s` : <Time at={at} />}</span>
      <span class="event-actor">{actor.name}</span>
      <div class="event-text">
        <details class="event-details">
          <summary>
            Routine:{' '}
            {[...calls].map(([id, count]) => (count > 1 ? `${id} ${formatCount(count)} times` : id)).join(', ')}
          </summary>
          <ul class="event-run">
            {events.map((event) => (
              <li key={event.number}>
                {event.at !== undefined && <Time at={event.at} />}{' '}
                {object && event.object && <EventObject event={event} findResource={findResource} />}
                {describeEvent(event)}
              </li>
            ))}
          </ul>
        </details>
      </div>
    </li>
  );
}

function iconOf({ type, call }: OperatorEvent): IconName {
  if (type === 'outcome' && call?.outcome === 'retried') return 'failing';
  if (type === 'outcome' && call?.outcome === 'failed') return 'close';
  return ICONS[type] ?? 'info';
}

function toneOf({ type, call, isError }: OperatorEvent): string {
  if (type === 'violation' || call?.outcome === 'failed' || (isError && type === 'note')) return 'bad';
  if (type === 'fault' || type === 'recovery' || call?.outcome === 'retried') return 'notice';
  if (type === 'outcome') return 'good';
  return type === 'call' ? 'active' : 'neutral';
}

/** Leaves the object out of the text where it stands beside it, or is that of the screen. */
function describeEvent({ text, object }: OperatorEvent): string {
  if (!object) return text;
  const name = `${object.kind} ${object.namespace === undefined ? '' : `${object.namespace}/`}${object.name}`;
  return text.replace(` for ${name}`, '').replace(` of ${name}`, '').replace(`${name} was `, 'Was ');
}

function EventEntry({
  event,
  object,
  findResource,
}: {
  readonly event: TimedEvent;
  readonly object: boolean;
  readonly findResource?: FindResource;
}) {
  const { actor, change, at, time, call } = event;
  const text = describeEvent(event);
  const hidden = change?.hiddenFrom ?? [];
  return (
    <li class={`event tone-${toneOf(event)}`}>
      <span class="event-mark">
        <Icon name={iconOf(event)} />
      </span>
      <span class="event-time">{at === undefined ? `${time.toFixed(3)} s` : <Time at={at} />}</span>
      <span class="event-actor" title={actor.process === undefined ? undefined : `Process ${actor.process}`}>
        {actor.name}
      </span>
      <div class="event-text">
        {object && event.object && <EventObject event={event} findResource={findResource} />}
        {change && change.fields.length > 0 ? (
          <details class="event-details">
            <summary>{text}</summary>
            <Differences changes={change.fields} label="Fields that have changed" />
          </details>
        ) : (
          text
        )}
        {call?.error && !text.includes(call.error) && <span class="error-text"> {call.error}</span>}
        {hidden.length > 0 && <span class="soft"> (not seen by {hidden.join(', ')})</span>}
      </div>
    </li>
  );
}

function EventObject({
  event: { object, change },
  findResource,
}: {
  readonly event: OperatorEvent;
  readonly findResource?: FindResource;
}) {
  if (!object) return null;
  const resource = findResource && (change?.resource ?? findResource(object.kind));
  const name = `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
  if (!resource) return <span class="event-object">{name}</span>;
  return (
    <a class="event-object" href={hrefOfObject({ resource, namespace: object.namespace, name: object.name })}>
      {name}
    </a>
  );
}
