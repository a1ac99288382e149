import { shortcuts } from '../platform/preferences.js';
import { Store, useStore } from '../platform/store.js';
import { SCREENS } from '../routing/screens.js';
import { ModalDialog } from './modal.dialog.js';

const isOpen = new Store(false);

/** Opens the list of the keyboard's shortcuts. */
export function openHelp(): void {
  isOpen.set(true);
}

const KEYS: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['/'], 'Search for an object'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['r'], 'Ask for everything again'],
  [['t'], 'Relative or absolute times'],
  [['?'], 'This list'],
];

/** Shows the keyboard's shortcuts, and switches them off for users who dictate to the computer. */
export function HelpDialog() {
  const open = useStore(isOpen);
  const state = useStore(shortcuts);
  if (!open) return null;
  return (
    <ModalDialog title="Keyboard shortcuts" onClose={() => isOpen.set(false)}>
      <div class="help-columns">
        <dl class="help-list">
          {KEYS.map(([keys, text]) => (
            <Shortcut key={text} keys={keys} text={text} />
          ))}
        </dl>
        <dl class="help-list">
          {SCREENS.map(({ key, title }) => (
            <Shortcut key={key} keys={['g', key]} text={title} />
          ))}
        </dl>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={state === 'on'}
          onChange={({ currentTarget }) => shortcuts.set(currentTarget.checked ? 'on' : 'off')}
        />
        Single keys are shortcuts
      </label>
    </ModalDialog>
  );
}

function Shortcut({ keys, text }: { readonly keys: readonly string[]; readonly text: string }) {
  return (
    <div class="help-line">
      <dt>
        {keys.map((key, index) => (
          <kbd key={index}>{key}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </div>
  );
}
