import { dump } from 'js-yaml';
import type { CliEnvironment } from './cli.environment.js';
import { type Colors, colorsFor } from './colors.js';
import type { ExitCode } from './exit.codes.js';

/** The formats of `--output`. */
export const OUTPUT_FORMATS = ['text', 'json', 'yaml'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The result of a command at its end: the same for programs and for people. */
export interface CommandResult {
  /** Plain data for `--output json` and `--output yaml`. */
  readonly data: unknown;
  /** Lines for people. */
  readonly text: string | ((colors: Colors) => string);
  /** @default 0 */
  readonly exitCode?: ExitCode;
}

/** Writes the result of a command to the standard output. */
export function writeResult({ data, text }: CommandResult, format: OutputFormat, environment: CliEnvironment): void {
  const { stdout } = environment;
  stdout.write(endLine(render()));

  function render(): string {
    if (format === 'json') return JSON.stringify(data, undefined, 2);
    // Undefined members are left out, as in JSON.
    if (format === 'yaml') return dump(JSON.parse(JSON.stringify(data)), { lineWidth: -1 });
    return typeof text === 'function' ? text(colorsFor(stdout, environment)) : text;
  }
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
