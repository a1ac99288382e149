import { type Command, Option } from 'commander';
import type { KopfLogger } from 'nestjs-kopf';
import type { LogMessage } from 'nestjs-kopf/diagnostics';
import { errorText, escapeControls } from 'kube-common';
import type { CliEnvironment } from './cli.environment.js';
import { UsageError } from './exit.codes.js';

/** The options about logs, the same as in Kopf. */
export interface CliLogOptions {
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly quiet?: boolean;
  readonly logFormat: 'full' | 'plain' | 'json';
  readonly logRefkey?: string;
  readonly logPrefix?: boolean;
}

/** Adds the options about logs. */
export function addLogOptions(command: Command): void {
  command
    .option('-v, --verbose', 'Log the details, too.')
    .option('-d, --debug', 'Log the details, and those of requests and of libraries.')
    .option('-q, --quiet', 'Log warnings and errors only.')
    .addOption(
      new Option('--log-format <format>', 'The format of log lines: with time and level, texts only, or JSON.')
        .choices(['full', 'plain', 'json'])
        .default('full'),
    )
    .option('--log-refkey <key>', 'The member for the object in JSON lines. (default: "object")')
    .option('--log-prefix', 'Put [namespace/name] in front of lines about an object; the default, except in JSON.')
    .option('--no-log-prefix', 'Leave it out.');
}

/** @throws UsageError if the options contradict each other. */
export function checkLogOptions({ verbose, debug, quiet }: CliLogOptions): void {
  if (quiet && (verbose || debug))
    throw new UsageError('Either --quiet or --verbose and --debug can be used, not both.');
}

/**
 * The logger that writes what the client logs to the standard error: retries and the like, so that people know why a command takes long.
 */
export class CliLogger implements KopfLogger {
  constructor(
    private readonly environment: Pick<CliEnvironment, 'stderr'>,
    private readonly options: Pick<CliLogOptions, 'verbose' | 'debug' | 'quiet'> = {},
  ) {}

  debug(message: LogMessage): void {
    if (this.options.verbose || this.options.debug) this.write(message);
  }

  log(message: LogMessage): void {
    if (!this.options.quiet) this.write(message);
  }

  warn(message: LogMessage): void {
    this.write(message);
  }

  error(message: LogMessage, error?: unknown): void {
    this.write(error === undefined ? message : () => `${textOf(message)} ${errorText(error)}`);
  }

  private write(message: LogMessage): void {
    this.environment.stderr.write(`${escapeControls(textOf(message))}\n`);
  }
}

function textOf(message: LogMessage): string {
  return typeof message === 'function' ? message() : message;
}
