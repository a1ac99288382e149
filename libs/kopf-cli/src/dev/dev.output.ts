import { dump } from 'js-yaml';
import { escapeControls } from 'kube-common';
import type { CliEnvironment } from '../cli.environment.js';
import { colorsFor } from '../colors.js';
import type { OutputFormat } from '../command.output.js';

/** The levels of messages, by which texts have their colours. */
export type MessageLevel = 'info' | 'good' | 'bad';

/**
 * The messages of the command, between the lines of the operator that it runs: for people with prefixes, for programs as one object a line.
 */
export class DevOutput {
  constructor(
    private readonly environment: Pick<CliEnvironment, 'stdout' | 'stderr' | 'variables'>,
    private readonly format: OutputFormat,
  ) {}

  /**
   * Reports something that has happened.
   *
   * @param event the name for programs: `ready`. @param data the details for programs.
   */
  report(event: string, text: string, data: object = {}, level: MessageLevel = 'info'): void {
    const { stdout } = this.environment;
    if (this.format === 'json') stdout.write(`${JSON.stringify({ event, ...data, text })}\n`);
    else if (this.format === 'yaml') stdout.write(dump([{ event, ...data, text }], { lineWidth: -1 }));
    else {
      const { bold, green, red } = colorsFor(stdout, this.environment);
      const paint = { info: bold, good: green, bad: red }[level];
      for (const line of text.split('\n')) stdout.write(`${paint('dev      |')} ${escapeControls(line)}\n`);
    }
  }

  /** Writes a line for people that they can copy. */
  plain(text: string): void {
    if (this.format === 'text') this.environment.stdout.write(`${text}\n`);
  }

  /** Passes a line of the operator on. Beside data for programs, it goes to the standard error. */
  line(text: string, isError: boolean): void {
    const { stdout, stderr } = this.environment;
    if (this.format !== 'text') {
      stderr.write(`${text}\n`);
      return;
    }
    const stream = isError ? stderr : stdout;
    stream.write(`${colorsFor(stream, this.environment).dim('operator |')} ${text}\n`);
  }
}
