import type { InspectedProgress } from '../api/api.types.js';
import { ProgressBadge } from '../components/badges.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Time } from '../components/times.js';

/** The progress of the handlers, as it is stored on the object. */
export function ObjectProgress({ progress }: { readonly progress: readonly InspectedProgress[] }) {
  if (progress.length === 0) {
    return <p class="panel-empty">No handler is at work on it: whatever was to be done is done.</p>;
  }
  const sorted = [...progress].sort((a, b) => rank(a) - rank(b));
  return (
    <TableScroll label="Progress of the handlers" cards>
      <TableHead columns={['Handler', 'State', '#Attempts', 'Started', 'Next attempt', 'Last error']} />
      <tbody>
        {sorted.map((each) => (
          <tr key={`${each.purpose}/${each.handler}`}>
            <Cell kind="nowrap">
              {each.purpose && <span class="handler-kind">{each.purpose}</span>}
              <span class="mono strong">{each.handler}</span>
            </Cell>
            <Cell>
              <ProgressBadge state={each.state} />
              {each.failedAt !== undefined && (
                <div class="soft">
                  <Time at={each.failedAt} />
                </div>
              )}
            </Cell>
            <Cell label="Attempts" kind="number">
              {each.attempts}
            </Cell>
            <Cell label="Started">
              <Time at={each.startedAt} />
            </Cell>
            <Cell label="Next attempt">
              <Time at={each.state === 'succeeded' || each.state === 'failed' ? undefined : each.dueAt} />
            </Cell>
            <Cell label="Last error" kind={each.error ? 'cell-line' : 'cell-empty'}>
              {each.error ? <span class="error-text">{each.error}</span> : <span class="soft">–</span>}
            </Cell>
          </tr>
        ))}
      </tbody>
    </TableScroll>
  );
}

/** Handlers that have failed, or are not done, come before those that are. */
function rank({ state }: InspectedProgress): number {
  if (state === 'succeeded') return 2;
  return state === 'failed' ? 0 : 1;
}
