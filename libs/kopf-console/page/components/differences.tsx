import { formatPath } from '../platform/format.js';
import { Icon } from './icon.js';

/** One field that is another one than before. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly old: unknown;
  readonly new: unknown;
}

/** Fields with their old and new values. */
export function Differences({ changes, label }: { readonly changes: readonly FieldChange[]; readonly label: string }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="table differences">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change, index) => (
            <tr key={index}>
              <th scope="row" class="mono">
                {formatPath(change.path)}
              </th>
              <td class="mono">
                <Value value={change.old} class="old" />
              </td>
              <td class="mono">
                <Value value={change.new} class="new" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ value, class: name }: { readonly value: unknown; readonly class: 'old' | 'new' }) {
  if (value === null || value === undefined) return <span class="soft">absent</span>;
  return (
    <span class={`value-${name}`}>
      <Icon name={name === 'old' ? 'minus' : 'plus'} />
      {typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
    </span>
  );
}
