import { readFileSync } from 'node:fs';

/** One line of a scenario. */
export interface ScenarioStep {
  readonly form: 'run' | 'until' | 'let' | 'template' | 'edit' | 'watch' | 'unwatch';
  /** The text between the form and the command. */
  readonly parameter: string;
  /** The arguments of kubectl. */
  readonly command: readonly string[];
  /** The line as it is written. */
  readonly text: string;
}

/** Reads a scenario; lines that are empty or begin with `#` are left out. */
export function readScenario(path: string | URL): ScenarioStep[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line.trim() && !line.startsWith('#')).map(parseStep);
}

function parseStep(text: string): ScenarioStep {
  const unwatch = /^unwatch (.+)$/.exec(text);
  if (unwatch) return { form: 'unwatch', parameter: unwatch[1], command: [], text };
  const special = /^(until|let|template|edit|watch) (.+?) :: (.+)$/.exec(text);
  if (!special) return { form: 'run', parameter: '', command: words(text), text };
  return { form: special[1] as ScenarioStep['form'], parameter: special[2], command: words(special[3]), text };
}

/** Splits at spaces, except inside single quotes. */
function words(text: string): string[] {
  return (text.match(/(?:'[^']*'|[^ ])+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
}
