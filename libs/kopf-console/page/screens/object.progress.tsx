import type { InspectedProgress } from '../api/api.types.js';
import { ProgressBadge } from '../components/badges.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Time } from '../components/times.js';

const COLUMNS = ['Handler', 'State', '#Attempts', 'Started', 'Next attempt'];

/** The progress of the handlers, as it is stored on the object. */
export function ObjectProgress({ progress }: { readonly progress: readonly InspectedProgress[] }) {
  if (progress.length === 0) {
    return <p class="panel-empty">No handler is at work on it: whatever was to be done is done.</p>;
  }
  const sorted = [...progress].sort((a, b) => rank(a) - rank(b));
  return (
    <TableScroll label="Progress of the handlers" cards>
      <TableHead columns={COLUMNS} />
      <tbody>
        {sorted.flatMap((each) => [
          <tr key={`${each.background ?? each.purpose}/${each.handler}`}>
            <Cell kind="nowrap">
              {(each.background ?? each.purpose) && <span class="handler-kind">{each.background ?? each.purpose}</span>}
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
          </tr>,
          // The error has the width of the table, so that it is not cut off.
          each.error && (
            <tr class="row-error" key={`${each.background ?? each.purpose}/${each.handler}/error`}>
              <td colSpan={COLUMNS.length}>
                <span class="soft">Last error</span> <span class="error-text">{each.error}</span>
              </td>
            </tr>
          ),
        ])}
      </tbody>
    </TableScroll>
  );
}

/** Handlers that have failed, or are not done, come before those that are. */
function rank({ state }: InspectedProgress): number {
  if (state === 'succeeded') return 2;
  return state === 'failed' ? 0 : 1;
}
