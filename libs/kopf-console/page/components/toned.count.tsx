import { formatCount } from '../platform/format.js';
import { Cell } from './table.scroll.js';

/** A number that needs attention unless it is 0, in a cell of a table. */
export function TonedCount({
  label,
  count,
  tone,
}: {
  readonly label: string;
  readonly count: number;
  readonly tone: 'notice' | 'bad';
}) {
  return (
    <Cell label={label} kind="number">
      {count > 0 ? <span class={`text-${tone}`}>{formatCount(count)}</span> : <span class="soft">–</span>}
    </Cell>
  );
}
