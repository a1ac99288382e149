import { useState } from 'preact/hooks';
import type { ConsoleAction, ObjectIdentity } from '../api/api.types.js';
import { Icon } from '../components/icon.js';
import { useOverview } from '../layout/overview.context.js';
import { ActionDialog } from './action.dialog.js';
import { ACTIONS } from './action.texts.js';

/** Opens the dialog of an action; absent unless the viewer may ask for it. */
export function ActionButton({
  action,
  object,
  handlers = [],
  refresh,
}: {
  readonly action: ConsoleAction;
  readonly object?: ObjectIdentity;
  /** The handlers that the viewer can choose from. */
  readonly handlers?: readonly string[];
  /** Is called after the action. */
  readonly refresh: () => void;
}) {
  const overview = useOverview();
  const [isOpen, setOpen] = useState(false);
  const { button, icon, asksHandler } = ACTIONS[action];
  const isPossible = overview?.actions.includes(action) && !(asksHandler && handlers.length === 0);
  // An open dialog stays to show the outcome, although the action is not possible a second time.
  if (!overview || (!isPossible && !isOpen)) return null;
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name={icon} /> {button}
      </button>
      {isOpen && (
        <ActionDialog
          action={action}
          object={object}
          handlers={handlers}
          operator={overview.operator}
          onClose={() => setOpen(false)}
          onDone={refresh}
        />
      )}
    </>
  );
}
