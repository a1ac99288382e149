import { answers } from '../live/answer.cache.js';
import { shortcuts, times } from '../platform/preferences.js';
import { hrefOf, navigate } from '../routing/location.js';
import { SCREENS } from '../routing/screens.js';
import { openHelp } from './help.dialog.js';

/** Milliseconds in which the second key must follow `g`. */
const SEQUENCE = 1500;

/** Handles the keyboard's shortcuts, unless a field has the focus or a dialog is open. */
export function handleShortcuts(): void {
  let goingUntil = 0;
  document.addEventListener('keydown', (event) => {
    if (shortcuts.get() === 'off' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const going = performance.now() < goingUntil;
    goingUntil = 0;
    const screen = going ? SCREENS.find(({ key }) => key === event.key) : undefined;
    if (screen) navigate(hrefOf(screen.path ? [screen.path] : []));
    else if (event.key === 'g') goingUntil = performance.now() + SEQUENCE;
    else if (!obey(event.key)) return;
    event.preventDefault();
  });
}

function obey(key: string): boolean {
  if (key === '/') focusSearch();
  else if (key === 'j') moveRow(1);
  else if (key === 'k') moveRow(-1);
  else if (key === 'r') answers.invalidate('all');
  else if (key === 't') times.update((value) => (value === 'relative' ? 'absolute' : 'relative'));
  else if (key === '?') openHelp();
  else return false;
  return true;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null;
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  if (field) field.select();
  else navigate(hrefOf(['objects'], { focus: 'search' }));
}

/** Moves the focus to the next row, or the previous one; to the first if no row has it. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.main [data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (step === 1 ? 0 : rows.length - 1) : at + step;
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
}
