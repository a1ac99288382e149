import { useEffect, useState } from 'preact/hooks';
import type { ConsoleLog } from '../api/api.types.js';
import { Choice, SearchField } from '../components/filter.fields.js';
import { Icon } from '../components/icon.js';
import { ScreenHead } from '../components/panel.js';
import { RecordedSince } from '../components/recorded.since.js';
import { EmptyState, ErrorState, Skeleton } from '../components/states.js';
import { useOverview } from '../layout/overview.context.js';
import { stream } from '../live/live.stream.js';
import { useAnswer } from '../live/use.answer.js';
import { addTimes, joinLogs, type TimedEvent, type TimedLog } from '../live/recent.events.js';
import { formatNumberOf } from '../platform/format.js';
import { useStore } from '../platform/store.js';
import { pageLocation, setQuery } from '../routing/location.js';
import { EventList, type FindResource } from '../timeline/event.list.js';
import { readFindings, type LoggedFinding } from '../timeline/findings.file.js';
import { filterLog, nameOf, readLogFilter } from '../timeline/log.filter.js';

/** Entries of the live log that are kept, as many as the server keeps. */
const KEPT = 2000;

/** A file that was opened. */
interface OpenedFile {
  readonly name: string;
  readonly findings: readonly LoggedFinding[];
}

/** The event log: live, or that of a simulation from a file. The file stays in the browser. */
export function LogScreen() {
  const operator = useStore(pageLocation).query.get('operator');
  const [file, setFile] = useState<OpenedFile>();
  const [problem, setProblem] = useState<string>();
  const [dragging, setDragging] = useState(false);
  const open = (opened: File | undefined) => {
    if (!opened) return;
    opened.text().then(
      (text) => {
        try {
          setFile({ name: opened.name, findings: readFindings(text) });
          setProblem(undefined);
        } catch (error) {
          setProblem((error as Error).message);
        }
      },
      () => setProblem('The file cannot be read.'),
    );
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDragging(false);
    open(event.dataTransfer?.files[0]);
  };
  return (
    <div
      class={`screen drop-zone ${dragging ? 'is-dragging' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={onDrop}
    >
      <ScreenHead
        title="Event log"
        lead={
          file ? (
            <>From the file {file.name}.</>
          ) : (
            <>
              What has happened <RecordedSince />, and what happens now. Drop the report of a simulation here to read
              its log.
            </>
          )
        }
      >
        {file && (
          <button type="button" class="button" onClick={() => setFile(undefined)}>
            <Icon name="close" /> Close the file
          </button>
        )}
        <label class="button file-button">
          <Icon name="upload" /> Open a file
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
          />
        </label>
      </ScreenHead>
      {problem && (
        <p class="notice tone-bad" role="alert">
          <Icon name="warning" /> {problem}
        </p>
      )}
      {file ? <Findings findings={file.findings} /> : <LiveLog key={operator} />}
    </div>
  );
}

function LiveLog() {
  const overview = useOverview();
  const { data, error, refresh } = useAnswer<ConsoleLog>('log', [], { limit: KEPT });
  const [{ events }, setLog] = useState<TimedLog>({ beganAt: 0, events: [] });
  const add = ({ beganAt, events: added }: ConsoleLog) =>
    setLog((known) => joinLogs(known, { beganAt, events: addTimes(added, beganAt) }, KEPT));
  useEffect(() => {
    if (data) add(data);
  }, [data]);
  useEffect(() => {
    const leave = stream.subscribe(['log']);
    const stop = stream.onLog((message) => {
      add(message);
      // The stream has begun: what has happened before is answered completely from now on.
      if (message.events.length === 0) refresh();
    });
    return () => {
      leave();
      stop();
    };
  }, [refresh]);
  if (events.length === 0) {
    if (!data) return error ? <ErrorState error={error} retry={refresh} /> : <Skeleton />;
    return (
      <EmptyState
        icon="timeline"
        title="Nothing has happened yet"
        code="kopf simulate ./simulation.js --json report.json"
      >
        Changes of objects, calls of handlers, and their outcomes appear here. The log of a simulation reads the same:
        drop its report on this page.
      </EmptyState>
    );
  }
  const kinds = new Map(overview?.resources.map(({ kind, resource }) => [kind, resource]));
  return <FilteredLog events={events.toReversed()} findResource={(kind) => kinds.get(kind)} />;
}

function Findings({ findings }: { readonly findings: readonly LoggedFinding[] }) {
  const [chosen, setChosen] = useState(0);
  const finding = findings[chosen] ?? findings[0];
  return (
    <>
      {findings.length > 1 && (
        <select
          class="select"
          aria-label="Finding"
          value={chosen}
          onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
        >
          {findings.map(({ title }, index) => (
            <option key={title} value={index}>
              {index + 1}. {title}
            </option>
          ))}
        </select>
      )}
      <h2 class="finding-title">{finding.title}</h2>
      <FilteredLog key={chosen} events={finding.events} />
    </>
  );
}

/** A log with filters, which stand in the address, so that a filtered log can be shared. */
function FilteredLog({
  events,
  findResource,
}: {
  readonly events: readonly TimedEvent[];
  readonly findResource?: FindResource;
}) {
  const { query } = useStore(pageLocation);
  const filter = readLogFilter(query);
  const isUnfolded = query.get('routine') === 'each';
  const shown = filterLog(events, filter);
  return (
    <>
      <div class="filters" role="search" aria-label="Event log">
        <SearchField name="text" label="Search the log" placeholder="Search the log" value={filter.text} wide />
        <Choice
          name="actor"
          label="Actor"
          value={filter.actor}
          choices={choicesOf(events, ({ actor }) => actor.name)}
        />
        <Choice name="object" label="Object" value={filter.object} choices={choicesOf(events, nameOf)} />
        <Choice
          name="handler"
          label="Handler"
          value={filter.handler}
          choices={choicesOf(events, ({ call }) => call?.id)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={filter.errors ?? false}
            onChange={({ currentTarget }) => setQuery({ errors: currentTarget.checked ? 'true' : undefined })}
          />
          Errors only
        </label>
        <label class="check" title="Calls of timers, indices, event handlers, and reviews that have succeeded">
          <input
            type="checkbox"
            checked={!isUnfolded}
            onChange={({ currentTarget }) => setQuery({ routine: currentTarget.checked ? undefined : 'each' })}
          />
          Fold routine calls
        </label>
        <span class="soft">{formatNumberOf(shown.length, 'event')}</span>
      </div>
      <div class="panel">
        {shown.length === 0 ? (
          <p class="panel-empty">No event is like this: the filters leave out all of them.</p>
        ) : (
          <EventList events={shown} label="Event log" objects folds={!isUnfolded} findResource={findResource} />
        )}
      </div>
    </>
  );
}

/** The most values that a filter offers. */
const MOST_CHOICES = 200;

/** Returns the values that entries have, each once and sorted. */
function choicesOf(
  events: readonly TimedEvent[],
  valueOf: (event: TimedEvent) => string | undefined,
): readonly (readonly [value: string, text: string])[] {
  const values = new Set(events.map(valueOf).filter((value): value is string => Boolean(value)));
  return [...values]
    .slice(0, MOST_CHOICES)
    .sort()
    .map((value) => [value, value]);
}
