import type { InspectedHandler } from '../api/api.types.js';
import { IdleNote } from '../components/idle.note.js';
import { ScreenHead } from '../components/panel.js';
import { useOverview } from '../layout/overview.context.js';
import { useAnswer } from '../live/use.answer.js';
import { useStore } from '../platform/store.js';
import { pageLocation } from '../routing/location.js';
import { readObjectQuery } from './object.query.js';
import { ObjectFilters } from './object.filters.js';
import { ObjectList } from './object.list.js';

/** All objects that the operator knows, filtered and sorted by the server. */
export function ObjectsScreen() {
  const overview = useOverview();
  const { query } = useStore(pageLocation);
  const handlers = useAnswer<readonly InspectedHandler[]>('handlers');
  const ids = [...new Set(handlers.data?.map(({ id }) => id))].sort();
  const wanted = readObjectQuery(query);
  return (
    <div class="screen screen-fill">
      <ScreenHead title="Objects" />
      <IdleNote />
      <ObjectFilters query={wanted} overview={overview} handlers={ids} />
      <ObjectList key={JSON.stringify(wanted)} query={wanted} />
    </div>
  );
}
