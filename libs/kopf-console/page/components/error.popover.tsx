import { useId } from 'preact/hooks';
import type { ObjectIdentity } from '../api/api.types.js';
import { ObjectLink } from './object.link.js';

/** An error in a row that has no room for all of it: a button that shows it whole. */
export function ErrorPopover({ error, object }: { readonly error: string; readonly object: ObjectIdentity }) {
  const id = useId();
  return (
    <>
      <button type="button" class="error-button" title={error} popovertarget={id}>
        <span class="error-text">{error}</span>
      </button>
      <div class="error-popover" id={id} popover="auto" role="dialog" aria-label={`Last error of ${object.name}`}>
        <ObjectLink object={object} />
        <p class="error-text">{error}</p>
      </div>
    </>
  );
}
