import type { QueryValues } from '../api/api.client.js';
import type { OperatorActivity, ConsoleOverview, InspectionTopic } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { Icon, type IconName } from '../components/icon.js';
import { IdleNote } from '../components/idle.note.js';
import { ObjectLink } from '../components/object.link.js';
import { Panel, ScreenHead } from '../components/panel.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Since, Time } from '../components/times.js';
import { useOverview } from '../layout/overview.context.js';
import { useAnswer } from '../live/use.answer.js';
import { formatCount, formatNumberOf } from '../platform/format.js';
import { hrefOf } from '../routing/location.js';
import { Failures } from './failures.js';
import { NothingWatched, watchesNothing } from './nothing.watched.js';

const TOPICS: readonly InspectionTopic[] = ['now'];

/** The work of this moment: objects in work, handlers that wait, and failures by their errors. */
export function NowScreen() {
  const overview = useOverview();
  const answer = useAnswer<OperatorActivity>('now', TOPICS);
  return (
    <div class="screen">
      <ScreenHead title="Now" lead="What is in work, what waits until when, and what fails." />
      <Tiles counts={overview?.counts} />
      {overview?.failure && (
        <p class="notice tone-bad" role="alert">
          <Icon name="failed" /> The operator has failed: {overview.failure}
        </p>
      )}
      {overview?.waitingFor && (
        <p class="notice tone-notice">
          <Icon name="waiting" /> The operator waits for {overview.waitingFor}.
        </p>
      )}
      <IdleNote />
      {overview?.unserved?.map(({ resource, reason, handlers }) => (
        <p class="notice tone-notice" key={resource}>
          <Icon name="watches" /> {handlers.join(', ')} cannot be called for {resource}: {reason}
        </p>
      ))}
      <Answered answer={answer}>{(now) => <Work now={now} overview={overview} />}</Answered>
    </div>
  );
}

function Work({ now, overview }: { readonly now: OperatorActivity; readonly overview: ConsoleOverview | undefined }) {
  const { inWork, waiting, failing } = now.totals;
  if (inWork + waiting + failing === 0) return <Quiet overview={overview} />;
  return (
    <div class="columns">
      <div class="column">
        {failing > 0 && <Failures now={now} />}
        <InWork now={now} />
      </div>
      <div class="column">
        <Waiting now={now} />
      </div>
    </div>
  );
}

function Quiet({ overview }: { readonly overview: ConsoleOverview | undefined }) {
  if (watchesNothing(overview)) return <NothingWatched />;
  if (overview?.counts.objects === 0) {
    return (
      <EmptyState
        icon="now"
        title="There are no objects yet"
        code={`@OnCreate('widgets.example.com')\nasync create({ spec, logger }: ChangeContext) { … }\n\n$ kubectl apply -f widget.yaml`}
      >
        Handlers are called when objects of their resources are created, changed, or deleted. Create one, and watch it
        here.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="idle" title="All quiet">
      No handler runs, waits, or fails.{' '}
      <a href={hrefOf(['objects'], { sort: '-changed' })}>See what has changed last</a>.
    </EmptyState>
  );
}

/** The number of objects that fail, and of which nothing has failed for good. */
function retryingOf({ failing, failed, stuck }: ConsoleOverview['counts']): number {
  return Math.max(0, failing - failed - stuck);
}

/** The numbers of the overview; their places are there before they are known, so that nothing below them moves. */
function Tiles({ counts }: { readonly counts: ConsoleOverview['counts'] | undefined }) {
  const tiles: readonly (readonly [string, number | undefined, IconName, string, string?])[] = [
    ['In work', counts?.inWork, 'inWork', hrefOf(['objects'], { phase: 'inWork' }), 'active'],
    ['Due next', counts?.waiting, 'waiting', hrefOf(['objects'], { sort: 'due' }), 'active'],
    ['Failed', counts?.failed, 'failed', hrefOf(['objects'], { phase: 'failed' }), 'bad'],
    ['Stuck', counts?.stuck, 'stuck', hrefOf(['objects'], { phase: 'stuck' }), 'bad'],
    ['Retrying', counts && retryingOf(counts), 'failing', hrefOf(['objects'], { phase: 'failing' }), 'notice'],
    ['Deleting', counts?.deleting, 'deleting', hrefOf(['objects'], { deleting: 'true' }), 'leaving'],
    ['Daemons', counts?.daemons, 'memory', hrefOf(['memory'])],
    ['Timers', counts?.timers, 'memory', hrefOf(['memory'])],
    ['Objects', counts?.objects, 'objects', hrefOf(['objects'])],
  ];
  return (
    <ul class="tiles">
      {tiles.map(([text, count, icon, href, tone]) => (
        <li key={text}>
          <a class={`tile ${count && tone ? `tone-${tone}` : ''}`} href={href}>
            <span class="tile-label">
              <Icon name={icon} /> {text}
            </span>
            <span class="tile-count">{count === undefined ? '–' : formatCount(count)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function InWork({ now: { inWork, totals } }: { readonly now: OperatorActivity }) {
  return (
    <Panel title="In work" id="in-work" count={formatCount(totals.inWork)}>
      {inWork.length === 0 ? (
        <p class="panel-empty">No handler runs at the moment.</p>
      ) : (
        <TableScroll label="Objects in work" cards>
          <TableHead columns={['Object', 'Handler', '#Attempt', '#For']} />
          <tbody>
            {inWork.map((each) => (
              <tr key={`${each.uid ?? each.name}/${each.handler}`}>
                <Cell>
                  <ObjectLink object={each} row />
                </Cell>
                <Cell label="Handler" kind="mono">
                  {each.handler ?? <span class="soft">framework</span>}
                  {each.isStuck && <StuckNote behind={each.behind} />}
                </Cell>
                <Cell label="Attempt" kind="number">
                  {each.attempt ?? '–'}
                </Cell>
                <Cell label="For" kind="number">
                  <Since at={each.since} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </TableScroll>
      )}
      <Rest shown={inWork.length} total={totals.inWork} query={{ phase: 'inWork' }} />
    </Panel>
  );
}

/** Marks a call that does not return, with what waits until it does. */
function StuckNote({ behind }: Pick<OperatorActivity['inWork'][number], 'behind'>) {
  const events = behind?.events ? [formatNumberOf(behind.events, 'change')] : [];
  const waiting = [...events, ...(behind?.handlers ?? [])];
  return (
    <div class="stuck-note">
      <Badge
        tone="bad"
        icon="stuck"
        text="Stuck"
        title="Nothing else is done for the object until the handler returns."
      />
      {waiting.length > 0 && <span class="soft">behind it: {waiting.join(', ')}</span>}
    </div>
  );
}

function Waiting({ now: { waiting, totals } }: { readonly now: OperatorActivity }) {
  return (
    <Panel title="Due next" id="waiting" count={formatCount(totals.waiting)}>
      {waiting.length === 0 ? (
        <p class="panel-empty">No handler waits to be called.</p>
      ) : (
        <TableScroll label="Handlers that wait, by the time at which they are called" cards>
          <TableHead columns={['#Due', 'Object', 'Handler', '#Attempts']} />
          <tbody>
            {waiting.map((each) => (
              <tr key={`${each.uid ?? each.name}/${each.handler}`}>
                <Cell kind="number cell-lead">
                  <Time at={each.dueAt} />
                </Cell>
                <Cell kind="cell-heading">
                  <ObjectLink object={each} row />
                  {each.error && <div class="error-text">{each.error}</div>}
                </Cell>
                <Cell label="Handler" kind="mono">
                  {each.handler}
                </Cell>
                <Cell label="Attempts" kind="number">
                  {each.attempts}
                </Cell>
              </tr>
            ))}
          </tbody>
        </TableScroll>
      )}
      <Rest shown={waiting.length} total={totals.waiting} query={{ sort: 'due' }} />
    </Panel>
  );
}

function Rest({
  shown,
  total,
  query,
}: {
  readonly shown: number;
  readonly total: number;
  readonly query: QueryValues;
}) {
  if (total <= shown) return null;
  return (
    <p class="panel-foot">
      <a href={hrefOf(['objects'], query)}>{formatNumberOf(total - shown, 'more', 'more')}</a>
    </p>
  );
}
