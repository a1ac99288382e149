import { useOverview } from '../layout/overview.context.js';
import { Icon } from './icon.js';

/** Says why the operator handles no object at present, and that it does not know what another one does. */
export function IdleNote() {
  const overview = useOverview();
  if (!overview || overview.paused.length === 0) return null;
  return (
    <p class="notice tone-notice">
      <Icon name="pause" /> This operator handles no object at present, and does not see what another one does with
      them: {overview.paused.join('; ')}
    </p>
  );
}
