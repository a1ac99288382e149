import { useEffect, useRef, useState } from 'preact/hooks';
import type { InspectedObject, InspectedPage, InspectionTopic, ObjectQuery } from '../api/api.types.js';
import { PhaseBadge } from '../components/badges.js';
import { ObjectLink } from '../components/object.link.js';
import { ErrorPopover } from '../components/error.popover.js';
import { EmptyState, ErrorState } from '../components/states.js';
import { Time } from '../components/times.js';
import { useOverview } from '../layout/overview.context.js';
import { useAnswer } from '../live/use.answer.js';
import { formatNumberOf } from '../platform/format.js';
import { setQuery } from '../routing/location.js';
import { clearedFilters, isFiltered, type ObjectFilter } from './object.query.js';
import { NothingWatched, watchesNothing } from './nothing.watched.js';
import { findPages, findWindow, PAGE, ROW } from './row.window.js';

const TOPICS: readonly InspectionTopic[] = ['objects'];

/** Milliseconds between two questions for rows while one scrolls. */
const SCROLLING = 80;

type Order = NonNullable<ObjectQuery['sort']>;

/** The columns, and the order that a click on each asks for first; the second click asks for the other way round. */
const COLUMNS: readonly (readonly [title: string, order: Order | undefined])[] = [
  ['Object', 'name'],
  ['Phase', 'phase'],
  ['Attempts', '-retries'],
  ['Due', 'due'],
  ['Handlers or error', undefined],
  ['Changed', '-changed'],
];

/** The objects that the filters let through: only the rows that can be seen are there, and asked for. */
export function ObjectList({ query }: { readonly query: ObjectFilter }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const loadedTop = useThrottled(view.top, SCROLLING);
  const { first, second } = findPages({ ...view, top: loadedTop });
  const values = { ...query };
  const firstPage = useAnswer<InspectedPage<InspectedObject>>('objects', TOPICS, {
    ...values,
    offset: first,
    limit: PAGE,
  });
  const secondPage = useAnswer<InspectedPage<InspectedObject>>('objects', TOPICS, {
    ...values,
    offset: second,
    limit: PAGE,
  });
  const total = firstPage.data?.total ?? secondPage.data?.total;
  const known = useRef(0);
  if (total !== undefined) known.current = total;
  const found = useRef(total);
  found.current ??= total;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  const { start, end } = findWindow(view, known.current);
  const rows = Array.from({ length: end - start }, (_, index) => {
    const place = start + index;
    return { place, object: findRow(firstPage.data, place) ?? findRow(secondPage.data, place) };
  });
  const error = firstPage.error ?? secondPage.error;
  if (error && total === undefined) return <ErrorState error={error} retry={firstPage.refresh} />;
  return (
    <>
      <div class="list-count">
        <p class="soft">{total === undefined ? 'Loading …' : formatNumberOf(total, 'object')}</p>
        {/* What a filter leaves is said once, and not each time that an object comes or goes. */}
        <p class="sr-only" role="status">
          {found.current === undefined ? '' : `${formatNumberOf(found.current, 'object')} found`}
        </p>
        {isFiltered(query) && (
          <button type="button" class="link-button" onClick={() => setQuery(clearedFilters())}>
            Clear the filters
          </button>
        )}
      </div>
      <div class="list" ref={scroller} role="region" aria-label="Objects" tabIndex={0}>
        {total === 0 ? (
          <NoObjects query={query} />
        ) : (
          <table class="table list-table" aria-rowcount={(total ?? 0) + 1}>
            <colgroup>
              {COLUMNS.map(([title]) => (
                <col key={title} class={`column-${title.split(' ')[0].toLowerCase()}`} />
              ))}
            </colgroup>
            <ListHead query={query} />
            <tbody>
              <Spacer rows={start} />
              {rows.map(({ place, object }) => (
                <Row key={object ? keyOf(object) : place} place={place} object={object} />
              ))}
              <Spacer rows={known.current - end} />
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

/** A copy of another value that changes at most once in so many milliseconds. */
function useThrottled(value: number, milliseconds: number): number {
  const [slow, setSlow] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setSlow(latest.current);
    }, milliseconds);
  }, [value, milliseconds]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return slow;
}

function findRow(page: InspectedPage<InspectedObject> | undefined, place: number): InspectedObject | undefined {
  return page?.items[place - page.offset];
}

function keyOf({ resource, namespace, name }: InspectedObject): string {
  return `${resource}/${namespace ?? ''}/${name}`;
}

function ListHead({ query }: { readonly query: ObjectFilter }) {
  const sorted = query.sort ?? 'name';
  return (
    <thead>
      <tr aria-rowindex={1}>
        {COLUMNS.map(([title, order]) => (
          <th scope="col" key={title} aria-sort={order && describeOrder(order, sorted)}>
            {order ? (
              <button
                type="button"
                class="sort-button"
                onClick={() => sortBy(sorted === order ? reverse(order) : order)}
              >
                {title}
              </button>
            ) : (
              title
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function reverse(order: Order): Order {
  return (order.startsWith('-') ? order.slice(1) : `-${order}`) as Order;
}

function describeOrder(order: Order, sorted: Order): 'ascending' | 'descending' | undefined {
  if (sorted !== order && sorted !== reverse(order)) return undefined;
  return sorted.startsWith('-') ? 'descending' : 'ascending';
}

function sortBy(order: Order): void {
  setQuery({ sort: order === 'name' ? undefined : order });
}

function Spacer({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={COLUMNS.length} style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
}

function Row({ place, object }: { readonly place: number; readonly object: InspectedObject | undefined }) {
  if (!object) {
    return (
      <tr class="list-row" aria-rowindex={place + 2}>
        <td colSpan={COLUMNS.length}>
          <div class="skeleton-line" />
        </td>
      </tr>
    );
  }
  const { phase, retries, dueAt, handlers, changedAt, error } = object;
  return (
    <tr class="list-row" aria-rowindex={place + 2}>
      <td>
        <ObjectLink object={object} row />
      </td>
      <td>
        <PhaseBadge phase={phase} />
      </td>
      <td class="number-text">{retries > 0 ? retries : <span class="soft">–</span>}</td>
      <td>
        <Time at={dueAt} short />
      </td>
      <td class="cut" title={error ? undefined : handlers.join(', ')}>
        {error ? <ErrorPopover error={error} object={object} /> : <span class="mono">{handlers.join(', ')}</span>}
      </td>
      <td>
        <Time at={changedAt} short />
      </td>
    </tr>
  );
}

function NoObjects({ query }: { readonly query: ObjectFilter }) {
  const overview = useOverview();
  if (isFiltered(query)) {
    return (
      <EmptyState icon="search" title="No object is like this">
        {overview
          ? `${formatNumberOf(overview.counts.objects, 'object')} in all: the filters leave out every one.`
          : ''}
      </EmptyState>
    );
  }
  if (watchesNothing(overview)) return <NothingWatched />;
  const resources = overview?.resources.map(({ resource }) => resource) ?? [];
  return (
    <EmptyState icon="objects" title="There are no objects yet" code="kubectl apply -f object.yaml">
      The list has the objects of all resources that handlers are for
      {resources.length > 0 && `: ${resources.join(', ')}`}.
    </EmptyState>
  );
}
