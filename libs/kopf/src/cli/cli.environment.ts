import type { Clock } from '../common/clock.js';
import type { Random } from '../common/random.js';

/** A stream of the terminal, as far as commands use it. */
export interface CliStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Everything that commands take from their process, so that tests run them without one. */
export interface CliEnvironment {
  /** The name by which the program was called: `kopf`, or `kubectl kopf`. */
  readonly name: string;
  readonly version: string;
  /** The folder of this package; files of users must import the library from there, too. @default not checked */
  readonly library?: string;
  /** The address of the hooks that compile TypeScript. @default whatever runs the commands does it */
  readonly typescriptHooks?: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The current folder; paths are relative to it. */
  readonly folder: string;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Calls the listener for each signal that wants the process to end.
   *
   * @returns stops listening.
   */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}
