import type { InspectedExclusion, InspectedHandlerMatch } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { formatValue } from '../platform/format.js';

/** All handlers of the object's resource: which are called for it, and which filter leaves it out of the others. */
export function ObjectHandlers({ handlers }: { readonly handlers: readonly InspectedHandlerMatch[] }) {
  if (handlers.length === 0) {
    return (
      <EmptyState icon="handlers" title="No handlers are known">
        The resource has none, or the operator runs elsewhere: then only the objects are known.
      </EmptyState>
    );
  }
  const sorted = [...handlers].sort((a, b) => Number(b.matches) - Number(a.matches));
  return (
    <section class="panel" aria-label="Handlers">
      <TableScroll label="Handlers of the resource" cards>
        <TableHead columns={['Handler', 'Called', 'Why not', 'Method']} />
        <tbody>
          {sorted.map(({ kind, id, source, matches, exclusion }) => (
            <tr key={`${kind}/${id}/${source}`}>
              <Cell>
                <span class="handler-kind">{kind}</span>
                <span class="mono strong">{id}</span>
              </Cell>
              <Cell label="Called">
                {matches ? (
                  <Badge tone="good" icon="idle" text="Yes" />
                ) : (
                  <Badge tone="neutral" icon="close" text="No" />
                )}
              </Cell>
              <Cell label="Why not" kind={exclusion ? 'cell-line' : 'cell-empty'}>
                {exclusion ? <Exclusion exclusion={exclusion} /> : <span class="soft">–</span>}
              </Cell>
              <Cell label="Method" kind="mono cell-line">
                {source}
              </Cell>
            </tr>
          ))}
        </tbody>
      </TableScroll>
    </section>
  );
}

function Exclusion({ exclusion }: { readonly exclusion: InspectedExclusion }) {
  const { filter, key, wanted, actual } = exclusion;
  if (filter === 'reason') return <Reason wanted={wanted} actual={actual} />;
  return (
    <span class="exclusion">
      <span>
        The filter <code>{filter}</code>
        {key !== undefined && (
          <>
            {' '}
            wants <code>{key}</code>
          </>
        )}
        {key === undefined && ' wants'}
      </span>{' '}
      {key !== undefined && 'to be '}
      <code class="value-new">{formatValue(wanted)}</code>, and it is{' '}
      <code class="value-old">{formatValue(actual)}</code>.
    </span>
  );
}

/** Handlers of changes are for one reason each, and there is one reason at a time. */
function Reason({ wanted, actual }: { readonly wanted: unknown; readonly actual: unknown }) {
  const present =
    actual === 'noop' ? 'there is no change to be handled' : `this is for the reason ${formatValue(actual)}`;
  return (
    <span class="soft">
      It is for the reason {formatValue(wanted)}, and {present}.
    </span>
  );
}
