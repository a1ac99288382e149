import { setQuery } from '../routing/location.js';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

/** Opens and closes the details of a row. Which one is open stands in the address, under a name. */
export function RowButton({
  parameter,
  value,
  isOpen,
  kind,
  id,
  children,
}: {
  readonly parameter: string;
  readonly value: string;
  readonly isOpen: boolean;
  readonly kind: string;
  readonly id: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class="row-button"
      data-row=""
      aria-expanded={isOpen}
      onClick={() => setQuery({ [parameter]: isOpen ? undefined : value })}
    >
      <Icon name={isOpen ? 'down' : 'right'} />
      <span class="handler-kind">{kind}</span>
      <span class="mono strong">{id}</span>
      {children}
    </button>
  );
}
