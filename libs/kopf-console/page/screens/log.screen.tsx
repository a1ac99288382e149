import { useEffect, useState } from 'preact/hooks';
import type { ConsoleLog } from '../api/api.types.js';
import { Icon } from '../components/icon.js';
import { ScreenHead } from '../components/panel.js';
import { EmptyState, ErrorState, Skeleton } from '../components/states.js';
import { useOverview } from '../layout/overview.context.js';
import { stream } from '../live/live.stream.js';
import { useAnswer } from '../live/use.answer.js';
import { addTimes, joinLogs, type TimedEvent, type TimedLog } from '../live/recent.events.js';
import { formatNumberOf } from '../platform/format.js';
import { useStore } from '../platform/store.js';
import { pageLocation } from '../routing/location.js';
import { EventList, type FindResource } from '../timeline/event.list.js';
import { readFindings, type LoggedFinding } from '../timeline/findings.file.js';

/** Entries of the live log that are kept. */
const KEPT = 1000;

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
          file
            ? `From the file ${file.name}.`
            : 'What has happened last, and what happens now. Drop the report of a simulation here to read its log.'
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

/** A log with choices of whose entries, and about which objects, are shown. */
function FilteredLog({
  events,
  findResource,
}: {
  readonly events: readonly TimedEvent[];
  readonly findResource?: FindResource;
}) {
  const [actor, setActor] = useState('');
  const [object, setObject] = useState('');
  const actors = [...new Set(events.map((event) => event.actor.name))];
  const objects = [...new Set(events.map(nameOf))].filter(Boolean).slice(0, 200);
  const shown = events.filter(
    (event) => (actor === '' || event.actor.name === actor) && (object === '' || nameOf(event) === object),
  );
  return (
    <>
      <div class="filters">
        <select
          class="select"
          aria-label="Actor"
          value={actor}
          onChange={({ currentTarget }) => setActor(currentTarget.value)}
        >
          <option value="">Actor: all</option>
          {actors.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <select
          class="select"
          aria-label="Object"
          value={object}
          onChange={({ currentTarget }) => setObject(currentTarget.value)}
        >
          <option value="">Object: all</option>
          {objects.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <span class="soft">{formatNumberOf(shown.length, 'event')}</span>
      </div>
      <div class="panel">
        <EventList events={shown} label="Event log" objects findResource={findResource} />
      </div>
    </>
  );
}

function nameOf({ object }: TimedEvent): string {
  return object ? `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}` : '';
}
