import type { InspectedHandler, InspectionTopic } from '../api/api.types.js';
import { ObjectLink } from '../components/object.link.js';
import { ScreenHead } from '../components/panel.js';
import { RecordedSince } from '../components/recorded.since.js';
import { RowButton } from '../components/row.button.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Duration, Time } from '../components/times.js';
import { TonedCount } from '../components/toned.count.js';
import { useAnswer } from '../live/use.answer.js';
import { formatCount } from '../platform/format.js';
import { useStore } from '../platform/store.js';
import { hrefOf, pageLocation } from '../routing/location.js';

const TOPICS: readonly InspectionTopic[] = ['handlers'];

/** All handlers: what they are for, how often they are called, how long they take, and their last errors. */
export function HandlersScreen() {
  const answer = useAnswer<readonly InspectedHandler[]>('handlers', TOPICS);
  const { query } = useStore(pageLocation);
  const chosen = query.get('handler') ?? undefined;
  return (
    <div class="screen">
      <ScreenHead
        title="Handlers"
        lead={
          <>
            Calls <RecordedSince />. The screen of an object shows why a handler is not called for it.
          </>
        }
      />
      <Answered answer={answer}>
        {(handlers) =>
          handlers.length === 0 ? (
            <EmptyState
              icon="handlers"
              title="No handlers are known"
              code={`@OnUpdate('widgets.example.com', { field: 'spec.size' })\nasync resize({ old, new: size, patch }: ChangeContext) { … }`}
            >
              Methods with decorators such as @OnCreate, @OnUpdate, @Daemon, and @Timer are listed here. Of operators
              that run elsewhere, only the objects are known.
            </EmptyState>
          ) : (
            <HandlerTable handlers={handlers} chosen={chosen} />
          )
        }
      </Answered>
    </div>
  );
}

const COLUMNS = ['Handler', 'For', '#Calls', '#Per minute', '#Retried', '#Failed', '#Median', '#95 %', '#99 %'];

function HandlerTable({
  handlers,
  chosen,
}: {
  readonly handlers: readonly InspectedHandler[];
  readonly chosen?: string;
}) {
  return (
    <TableScroll label="Handlers" cards>
      <TableHead columns={COLUMNS} />
      <tbody>
        {handlers.map((handler) => {
          const key = `${handler.kind}:${handler.id}:${handler.source}`;
          const isOpen = key === chosen;
          return [
            <HandlerRow key={key} id={key} handler={handler} isOpen={isOpen} />,
            isOpen && <HandlerDetails key={`${key}:details`} handler={handler} />,
          ];
        })}
      </tbody>
    </TableScroll>
  );
}

function HandlerRow({
  handler,
  id,
  isOpen,
}: {
  readonly handler: InspectedHandler;
  readonly id: string;
  readonly isOpen: boolean;
}) {
  const { kind, selector, filters, calls, rate, retried, failed, running, p50, p95, p99 } = handler;
  return (
    <tr>
      <Cell>
        <RowButton parameter="handler" value={id} isOpen={isOpen} kind={kind} id={handler.id}>
          {running > 0 && <span class="badge tone-active">{formatCount(running)} running</span>}
        </RowButton>
      </Cell>
      <Cell kind="cell-line">
        {selector && <span class="mono">{selector}</span>}
        {filters.length > 0 && <span class="filter">{filters.join(' · ')}</span>}
      </Cell>
      <Cell label="Calls" kind="number">
        {formatCount(calls)}
      </Cell>
      <Cell label="Per minute" kind="number">
        {rate > 0 ? Number(rate.toFixed(1)) : <span class="soft">–</span>}
      </Cell>
      <TonedCount label="Retried" count={retried} tone="notice" />
      <TonedCount label="Failed" count={failed} tone="bad" />
      <Cell label="Median" kind="number">
        <Duration seconds={p50} />
      </Cell>
      <Cell label="95 %" kind="number">
        <Duration seconds={p95} />
      </Cell>
      <Cell label="99 %" kind="number">
        <Duration seconds={p99} />
      </Cell>
    </tr>
  );
}

function HandlerDetails({ handler: { id, source, reason, errors } }: { readonly handler: InspectedHandler }) {
  return (
    <tr class="row-details">
      <td colSpan={COLUMNS.length}>
        <dl class="facts">
          <dt>Method</dt>
          <dd class="mono">{source}</dd>
          {reason && <dt>Reason</dt>}
          {reason && <dd>{reason}</dd>}
          <dt>Objects</dt>
          <dd>
            <a href={hrefOf(['objects'], { handler: id })}>Objects with which it is not done</a>
          </dd>
        </dl>
        <h3>Last errors</h3>
        {errors.length === 0 ? (
          <p class="soft">
            No call has failed <RecordedSince />.
          </p>
        ) : (
          <ul class="errors">
            {errors.map(({ error, at, object }) => (
              <li key={`${at}/${object?.name}`}>
                <Time at={at} />
                <span class="error-text">{error}</span>
                {object && <ObjectLink object={object} />}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
