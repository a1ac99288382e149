import type { ConsoleAction } from '../api/api.types.js';
import type { IconName } from '../components/icon.js';

/** The words of an action, and what its dialog asks for. */
export interface ActionText {
  readonly button: string;
  readonly icon: IconName;
  readonly title: string;
  readonly explanation: string;
  /** The dialog asks for a handler; without one that can be chosen, there is no such action. */
  readonly asksHandler?: boolean;
  readonly asksSeconds?: boolean;
  readonly asksReason?: boolean;
  /** It cannot be undone: the button says so by its colour. */
  readonly isDangerous?: boolean;
}

/** All actions. */
export const ACTIONS: Readonly<Record<ConsoleAction, ActionText>> = {
  retry: {
    button: 'Retry now',
    icon: 'failing',
    title: 'Retry now',
    explanation: 'The handler is called at once, and not when it is due.',
    asksHandler: true,
    asksReason: true,
  },
  postpone: {
    button: 'Postpone',
    icon: 'waiting',
    title: 'Postpone the next attempt',
    explanation: 'The handler is called later than it is due.',
    asksHandler: true,
    asksSeconds: true,
    asksReason: true,
  },
  complete: {
    button: 'Mark as done',
    icon: 'check',
    title: 'Mark a handler as done',
    explanation: 'The handler counts as succeeded, and is not called any more for this change.',
    asksHandler: true,
    asksReason: true,
    isDangerous: true,
  },
  repeat: {
    button: 'Handle again',
    icon: 'failing',
    title: 'Handle again',
    explanation: 'Handlers that have failed for good are called again, as for the first time.',
    asksReason: true,
  },
  release: {
    button: 'Release',
    icon: 'stuck',
    title: 'Release the finalizer',
    explanation: 'The operator’s finalizer is removed. The object is deleted without the handlers of its deletion.',
    asksReason: true,
    isDangerous: true,
  },
  pause: {
    button: 'Pause',
    icon: 'pause',
    title: 'Pause the operator',
    explanation: 'The operator takes no more events, and stops its daemons, until it is resumed.',
    asksReason: true,
  },
  resume: {
    button: 'Resume',
    icon: 'play',
    title: 'Resume the operator',
    explanation: 'The operator handles all objects that have changed during the pause.',
    asksReason: true,
  },
  memo: {
    button: 'Memo',
    icon: 'memo',
    title: 'Memo of the object',
    explanation: 'What handlers keep about the object in the memory of the process.',
  },
  logs: {
    button: 'Logs',
    icon: 'timeline',
    title: 'Logs of its pods',
    explanation: 'The last lines of the pods that the object owns, its children’s among them.',
  },
};
