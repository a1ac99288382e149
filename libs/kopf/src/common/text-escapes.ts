/** Control characters, and what Unicode has for line breaks. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const ALL_CONTROLS = new RegExp(CONTROLS, 'g');

const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes one line of a text: control characters, which can begin new lines or colour a terminal, become escapes such as `\\n`. */
export function escapeControls(text: string): string {
  return CONTROLS.test(text) ? text.replace(ALL_CONTROLS, escapeControl) : text;
}

/** Does the same for a stack, but for the lines of its frames. */
export function escapeStack(stack: string): string {
  const [first, ...rest] = stack.split('\n');
  return rest.reduce(
    (text, line) => text + (/^\s+at /.test(line) ? '\n' : '\\n') + escapeControls(line),
    escapeControls(first),
  );
}

function escapeControl(character: string): string {
  return SHORT_FORMS[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
