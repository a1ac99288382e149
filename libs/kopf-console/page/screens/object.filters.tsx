import type { ConsoleOverview, ObjectPhase } from '../api/api.types.js';
import { PHASES } from '../components/badges.js';
import { Choice, SearchField } from '../components/filter.fields.js';
import { Icon } from '../components/icon.js';
import { hrefOf, setQuery } from '../routing/location.js';
import type { ObjectFilter } from './object.query.js';

const ORDER: readonly ObjectPhase[] = ['inWork', 'waiting', 'failing', 'failed', 'stuck', 'deleting', 'idle'];

/** The filters of the list; each is in the address, so that a list can be shared. */
export function ObjectFilters({
  query,
  overview,
  handlers,
}: {
  readonly query: ObjectFilter;
  readonly overview: ConsoleOverview | undefined;
  readonly handlers: readonly string[];
}) {
  return (
    <div class="filters" role="search" aria-label="Objects">
      <SearchField name="search" label="Search by name" placeholder="Search by name" value={query.search} wide />
      <Choice
        name="resource"
        label="Resource"
        value={query.resource}
        choices={overview?.resources.map(({ resource, kind }) => [resource, kind]) ?? []}
      />
      <SearchField name="namespace" label="Namespace" placeholder="Namespace" value={query.namespace} />
      <Choice name="handler" label="Handler" value={query.handler} choices={handlers.map((id) => [id, id])} />
      <Choice
        name="retries"
        label="Attempts"
        value={query.retries === undefined ? undefined : String(query.retries)}
        choices={[1, 2, 3, 5, 10, 50].map((count) => [String(count), `≥ ${count}`])}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={query.deleting ?? false}
          onChange={({ currentTarget }) => setQuery({ deleting: currentTarget.checked ? 'true' : undefined })}
        />
        Being deleted
      </label>
      <PhaseTabs query={query} />
    </div>
  );
}

function PhaseTabs({ query }: { readonly query: ObjectFilter }) {
  const { phase, ...rest } = query;
  return (
    <ul class="chips" aria-label="Phase">
      <li>
        <a class="chip" href={hrefOf(['objects'], rest)} aria-current={phase === undefined ? 'true' : undefined}>
          All
        </a>
      </li>
      {ORDER.map((each) => (
        <li key={each}>
          <a
            class={`chip tone-${PHASES[each].tone}`}
            href={hrefOf(['objects'], { ...rest, phase: each })}
            aria-current={phase === each ? 'true' : undefined}
            title={PHASES[each].title}
          >
            <Icon name={each} />
            {PHASES[each].text}
          </a>
        </li>
      ))}
    </ul>
  );
}
