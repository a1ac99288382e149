import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { pageLocation, setQuery } from '../routing/location.js';
import { Icon } from './icon.js';

/** Milliseconds without a key after which what was typed counts. */
const TYPING = 150;

/** A list of values of a parameter of the address, all of which count without one. */
export function Choice({
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
export function SearchField({
  name,
  label,
  placeholder,
  value,
  wide = false,
}: {
  readonly name: string;
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
