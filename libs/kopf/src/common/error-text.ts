import { cutLine } from './cut-text.js';
import { escapeControls, escapeStack } from './text-escapes.js';

/** Describes anything that was thrown; never throws. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message || error.name) : String(error);
  } catch {
    // Objects can have no text, and such that fails.
    return 'an error that cannot be shown';
  }
}

/** A message followed by the text of an error, if there is one. */
export function withErrorText(message: string, error: unknown): string {
  if (error === undefined) return message;
  return message ? `${message} ${errorText(error)}` : errorText(error);
}

/** Limits how many causes of an error are shown, as they can go round in circles. */
const MOST_CAUSES = 5;

/**
 * Describes where an error was thrown, and where its causes were. Each line is a frame, or the whole text of an error.
 * Long messages are cut, so that they do not hide it.
 */
export function errorStack(error: unknown): string {
  const stacks: string[] = [];
  for (let each = error; each !== undefined && stacks.length <= MOST_CAUSES; each = (each as Error).cause) {
    const stack = stackOf(each);
    stacks.push(each instanceof Error && each.stack ? escapeStack(stack) : escapeControls(stack));
    if (!(each instanceof Error)) break;
  }
  return stacks.join('\nCaused by: ');
}

function stackOf(error: unknown): string {
  const text = errorText(error);
  const short = cutLine(text);
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : text;
  return text === short ? stack : stack.replace(text, () => short);
}
