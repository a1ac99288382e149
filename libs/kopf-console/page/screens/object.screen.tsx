import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../actions/action.button.js';
import type { InspectedFinding, InspectedObjectDetails, ConsoleObjectTopic } from '../api/api.types.js';
import { PhaseBadge } from '../components/badges.js';
import { CopyButton } from '../components/copy.button.js';
import { Icon } from '../components/icon.js';
import { Panel, ScreenHead } from '../components/panel.js';
import { RecordedSince } from '../components/recorded.since.js';
import { Answered } from '../components/states.js';
import { Time } from '../components/times.js';
import { concerns, stream } from '../live/live.stream.js';
import { addTimes, joinEvents, type TimedEvent } from '../live/recent.events.js';
import { useAnswer } from '../live/use.answer.js';
import { useStore } from '../platform/store.js';
import { hrefOf, pageLocation } from '../routing/location.js';
import { EventList } from '../timeline/event.list.js';
import { Waterfall } from '../timeline/waterfall.js';
import { ObjectBody } from './object.body.js';
import { ObjectHandlers } from './object.handlers.js';
import { ObjectProgress } from './object.progress.js';
import { ObjectSide } from './object.side.js';

/** Entries of the history that are shown; the server keeps no more of an object. */
const KEPT = 200;

/** The reference to the object of the screen. */
interface ObjectPlace {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const TABS = [
  ['', 'Timeline'],
  ['handlers', 'Handlers'],
  ['object', 'Object'],
] as const;

/** One object: what was done with it, how far its handlers are, and why others are not called. */
export function ObjectScreen(place: ObjectPlace) {
  const { resource, namespace, name } = place;
  // The topic of the object is the path of its details.
  const path: ConsoleObjectTopic = `objects/${[resource, namespace ?? '-', name].map(encodeURIComponent).join('/')}`;
  const answer = useAnswer<InspectedObjectDetails>(path, [path]);
  const details = answer.data;
  return (
    <div class="screen">
      <nav class="crumbs" aria-label="Where this is">
        <a href={hrefOf(['objects'])}>Objects</a>
        <Icon name="right" />
        <a href={hrefOf(['objects'], { resource })}>{resource}</a>
        {namespace && <Icon name="right" />}
        {namespace && <a href={hrefOf(['objects'], { resource, namespace })}>{namespace}</a>}
      </nav>
      <ScreenHead
        title={
          <>
            <span class="object-title">{name}</span>
            {details && <PhaseBadge phase={details.object.phase} />}
          </>
        }
      >
        {details && <Actions details={details} refresh={answer.refresh} />}
      </ScreenHead>
      <Answered answer={answer}>{(data) => <Details details={data} refresh={answer.refresh} place={place} />}</Answered>
    </div>
  );
}

function Actions({
  details: { object, progress, finalizers, repeatable, trace },
  refresh,
}: {
  readonly details: InspectedObjectDetails;
  readonly refresh: () => void;
}) {
  const { resource, namespace, name, deleting } = object;
  // While a handler runs, its progress cannot be changed: the operator overwrites it when the handler returns.
  const isRunning = progress.some(({ state }) => state === 'running');
  const open = progress
    // Nothing of daemons and timers is stored that could be changed.
    .filter(({ state, background }) => !isRunning && !background && state !== 'succeeded' && state !== 'failed')
    .map(({ handler }) => handler);
  const isHeld = deleting && finalizers.some(({ owner }) => owner === 'operator');
  const command = `kubectl get ${resource} ${name}${namespace ? ` --namespace ${namespace}` : ''} --output yaml`;
  return (
    <>
      <ActionButton action="retry" object={object} handlers={open} refresh={refresh} />
      <ActionButton action="postpone" object={object} handlers={open} refresh={refresh} />
      <ActionButton action="complete" object={object} handlers={open} refresh={refresh} />
      {repeatable.length > 0 && <ActionButton action="repeat" object={object} refresh={refresh} />}
      {isHeld && <ActionButton action="release" object={object} refresh={refresh} />}
      <ActionButton action="memo" object={object} refresh={refresh} />
      {namespace !== undefined && <ActionButton action="logs" object={object} refresh={refresh} />}
      {trace && /^https?:/.test(trace) && (
        <a class="button" href={trace} target="_blank" rel="noreferrer noopener">
          <Icon name="link" /> Trace
        </a>
      )}
      <CopyButton text={command} label="kubectl" />
    </>
  );
}

function Details({
  details,
  refresh,
  place,
}: {
  readonly details: InspectedObjectDetails;
  readonly refresh: () => void;
  readonly place: ObjectPlace;
}) {
  const { query } = useStore(pageLocation);
  const tab = query.get('tab') ?? '';
  const { resource, namespace, name } = place;
  const problems = details.findings.filter(({ problem }) => problem);
  const others = details.findings.filter(({ problem }) => !problem);
  return (
    <>
      {[...problems, ...others].map((finding) => (
        <p class={`notice tone-${finding.problem ? 'bad' : 'neutral'}`} key={`${finding.code}/${finding.text}`}>
          <Icon name={finding.problem ? 'warning' : 'info'} />{' '}
          <span>
            <FindingText finding={finding} />
            {finding.remedy && <span class="soft finding-remedy">{finding.remedy}</span>}
          </span>
        </p>
      ))}
      <nav class="tabs" aria-label="Parts of the object">
        {TABS.map(([key, title]) => (
          <a
            key={key}
            class="tab"
            href={hrefOf(['objects', resource, namespace ?? '-', name], { tab: key })}
            aria-current={tab === key ? 'true' : undefined}
          >
            {title}
            {key === 'handlers' && details.handlers.length > 0 && <span class="count">{details.handlers.length}</span>}
          </a>
        ))}
      </nav>
      {tab === 'handlers' && <ObjectHandlers handlers={details.handlers} />}
      {tab === 'object' && <ObjectBody details={details} />}
      {tab !== 'handlers' && tab !== 'object' && <Timeline details={details} refresh={refresh} />}
    </>
  );
}

/** A sentence about the object, whose time reads as all times of the page. */
function FindingText({ finding: { text, at } }: { readonly finding: InspectedFinding }) {
  const stamp = at === undefined ? '' : `at ${new Date(at).toISOString()}`;
  const place = stamp === '' ? -1 : text.indexOf(stamp);
  if (place < 0) return <span>{text}</span>;
  return (
    <span>
      {text.slice(0, place)}
      <Time at={at} />
      {text.slice(place + stamp.length)}
    </span>
  );
}

function Timeline({ details, refresh }: { readonly details: InspectedObjectDetails; readonly refresh: () => void }) {
  const events = useHistory(details, refresh);
  return (
    <div class="columns columns-wide">
      <div class="column">
        <Panel title="Attempts" id="attempts">
          <Waterfall events={events} progress={details.progress} beganAt={details.beganAt} />
          <ObjectProgress progress={details.progress} />
        </Panel>
        <Panel title="History" id="history" count={events.length}>
          {events.length === 0 ? (
            <p class="panel-empty">
              Nothing has happened <RecordedSince />. What the operator does with the object appears here.
            </p>
          ) : (
            <EventList events={events.toReversed()} label="History of the object, newest first" folds />
          )}
        </Panel>
      </div>
      <div class="column">
        <ObjectSide details={details} />
      </div>
    </div>
  );
}

/** The history of the answer, with later events of the log; the rest of the answer is requested again for them. */
function useHistory({ object, events, beganAt }: InspectedObjectDetails, refresh: () => void): readonly TimedEvent[] {
  const [newer, setNewer] = useState<readonly TimedEvent[]>([]);
  const { kind, namespace, name } = object;
  useEffect(() => {
    const leave = stream.subscribe(['log']);
    const stop = stream.onLog((message) => {
      const own = message.events.filter((event) => concerns(event, { kind, namespace, name }));
      if (own.length === 0) return;
      setNewer((known) => joinEvents(known, addTimes(own, message.beganAt), KEPT));
      refresh();
    });
    return () => {
      leave();
      stop();
    };
  }, [kind, namespace, name, beganAt, refresh]);
  return joinEvents(addTimes(events, beganAt), newer, KEPT);
}
