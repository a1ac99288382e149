import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ConsoleOverview, ObjectPhase } from '../api/api.types.js';
import { PHASES } from '../components/badges.js';
import { Icon } from '../components/icon.js';
import { hrefOf, pageLocation, setQuery } from '../routing/location.js';
import type { ObjectFilter } from './object.query.js';

/** Milliseconds without a key after which the server is asked. */
const TYPING = 150;

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

function Choice({
  name,
  label,
  value,
  choices,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
}) {
  const known = value === undefined || choices.some(([each]) => each === value);
  return (
    <select
      class={`select ${value ? 'is-set' : ''}`}
      aria-label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      <option value="">{label}: all</option>
      {!known && <option value={value}>{value}</option>}
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {label}: {text}
        </option>
      ))}
    </select>
  );
}

/** A field that is applied while one types. The address is the state: going back changes the field as well. */
function SearchField({
  name,
  label,
  placeholder,
  value,
  wide = false,
}: {
  readonly name: 'search' | 'namespace';
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly wide?: boolean;
}) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The text that it has brought into the address itself: it stays as it was typed, with its spaces. */
  const applied = useRef(value ?? '');
  useLayoutEffect(() => {
    if (!field.current || (value ?? '') === applied.current) return;
    clearTimeout(timer.current);
    applied.current = value ?? '';
    field.current.value = applied.current;
  }, [value]);
  useEffect(() => {
    if (!wide || pageLocation.get().query.get('focus') !== 'search') return;
    field.current?.focus();
    setQuery({ focus: undefined });
  }, [wide]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      applied.current = currentTarget.value.trim();
      setQuery({ [name]: applied.current });
    }, TYPING);
  };
  return (
    <div class={wide ? 'field field-search' : 'field'}>
      {wide && <Icon name="search" />}
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        defaultValue={value}
        data-search={wide ? '' : undefined}
        autoComplete="off"
        spellcheck={false}
        onInput={onInput}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {wide && <kbd class="field-key">/</kbd>}
    </div>
  );
}
