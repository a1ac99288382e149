import type { InspectionTopic, InspectedWebhook } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { ObservedNote, useIsObserved } from '../components/observed.note.js';
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
import { pageLocation } from '../routing/location.js';

const TOPICS: readonly InspectionTopic[] = ['webhooks'];
const COLUMNS = ['Webhook', 'For', '#Reviews', '#Rejected', '#Failed', '#Median', '#95 %'];

/** The webhooks of the operator, and how their last reviews have ended. */
export function WebhooksScreen() {
  const answer = useAnswer<readonly InspectedWebhook[]>('webhooks', TOPICS);
  const { query } = useStore(pageLocation);
  const chosen = query.get('webhook') ?? undefined;
  const isObserved = useIsObserved();
  return (
    <div class="screen">
      <ScreenHead
        title="Webhooks"
        lead={
          <>
            What admission and conversion webhooks have allowed, changed, and rejected <RecordedSince />, and how long
            the API server has waited for it.
          </>
        }
      />
      <ObservedNote>
        The operators run elsewhere: their webhooks leave nothing on objects. They show in a console inside of the
        operator.
      </ObservedNote>
      <Answered answer={answer}>
        {(webhooks) =>
          isObserved ? null : webhooks.length === 0 ? (
            <EmptyState
              icon="webhooks"
              title="The operator has no webhooks"
              code={`@Validate('widgets.example.com', { operations: ['CREATE', 'UPDATE'] })\nvalidate({ spec }: AdmissionContext) {\n  if (spec.size > 10) throw new AdmissionError('Too large.');\n}`}
            >
              Methods with @Validate or @Mutate see objects before they are stored.
            </EmptyState>
          ) : (
            <TableScroll label="Webhooks" cards>
              <TableHead columns={COLUMNS} />
              <tbody>
                {webhooks.map((webhook) => {
                  const isOpen = webhook.id === chosen;
                  return [
                    <WebhookRow key={webhook.id} webhook={webhook} isOpen={isOpen} />,
                    isOpen && <Reviews key={`${webhook.id}:reviews`} webhook={webhook} />,
                  ];
                })}
              </tbody>
            </TableScroll>
          )
        }
      </Answered>
    </div>
  );
}

function WebhookRow({ webhook, isOpen }: { readonly webhook: InspectedWebhook; readonly isOpen: boolean }) {
  const { id, kind, selector, calls, refused, failed, p50, p95 } = webhook;
  return (
    <tr>
      <Cell>
        <RowButton parameter="webhook" value={id} isOpen={isOpen} kind={kind} id={id} />
      </Cell>
      <Cell kind="mono cell-line">{selector}</Cell>
      <Cell label="Reviews" kind="number">
        {formatCount(calls)}
      </Cell>
      <TonedCount label="Rejected" count={refused} tone="notice" />
      <TonedCount label="Failed" count={failed} tone="bad" />
      <Cell label="Median" kind="number">
        <Duration seconds={p50} />
      </Cell>
      <Cell label="95 %" kind="number">
        <Duration seconds={p95} />
      </Cell>
    </tr>
  );
}

function Reviews({ webhook: { source, last } }: { readonly webhook: InspectedWebhook }) {
  return (
    <tr class="row-details">
      <td colSpan={COLUMNS.length}>
        <dl class="facts">
          <dt>Method</dt>
          <dd class="mono">{source}</dd>
        </dl>
        <h3>Last reviews</h3>
        {last.length === 0 ? (
          <p class="soft">
            There was none <RecordedSince />.
          </p>
        ) : (
          <ul class="errors">
            {last.map((review, index) => (
              <li key={`${review.at}/${index}`}>
                <Time at={review.at} />
                {review.allowed ? (
                  <Badge tone="good" icon="idle" text="Allowed" />
                ) : (
                  <Badge
                    tone="notice"
                    icon="failed"
                    text={review.code === undefined ? 'Rejected' : `Rejected ${review.code}`}
                  />
                )}
                <Duration seconds={review.duration} />
                {review.message && <span class="error-text">{review.message}</span>}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
