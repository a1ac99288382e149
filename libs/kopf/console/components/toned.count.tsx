import { formatCount } from '../platform/format.js';

/** A number that somebody should look at unless it is 0, in a cell of a table. */
export function TonedCount({ count, tone }: { readonly count: number; readonly tone: 'notice' | 'bad' }) {
  return (
    <td class="number">
      {count > 0 ? <span class={`text-${tone}`}>{formatCount(count)}</span> : <span class="soft">–</span>}
    </td>
  );
}
