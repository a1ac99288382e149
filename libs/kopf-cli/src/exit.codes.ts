/**
 * The exit codes of `kopf`: all is well; the command has failed, or has found what it was to look for, as `verify` does; the command line
 * is wrong; `explain` has found that a handler has failed for good.
 */
export const EXIT_CODES = { good: 0, failed: 1, usage: 2, handlingFailed: 3 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** The command cannot do its work: a file is missing, an object does not exist. Ends with the code 1. */
export class CommandError extends Error {
  readonly code: string = 'KOPF_COMMAND';

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The command line is wrong in a way that only the command knows, such as options that exclude each other. Ends with the code 2. */
export class UsageError extends CommandError {
  override readonly code = 'KOPF_USAGE';
}
