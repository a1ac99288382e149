import type { EventDetails, ExceptionDetails } from './events.interface.js';
import { withErrorText } from '../common/texts.js';

/** Makes an event of an error: its name is the reason unless there is another one, and its message follows the other one. */
export function describeException({ reason, message = '', error }: ExceptionDetails): EventDetails {
  const name = error instanceof Error ? error.name : 'Error';
  return { reason: reason || name, message: withErrorText(message, error) };
}
