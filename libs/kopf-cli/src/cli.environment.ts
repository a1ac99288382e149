import type { Clock, Random } from 'kube-common';

/** A stream of the terminal, as far as commands use it. */
export interface CliStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The keyboard of a terminal on which single keys are commands. */
export interface CliKeyboard {
  /**
   * Calls the listener for each key, Ctrl-C among them (`\u0003`), which is no signal then; keys are not shown.
   *
   * @returns a function that gives the keyboard back to the terminal.
   */
  onKey(listener: (key: string) => void): () => void;
}

/** Another process of this program. */
export interface ChildProgram {
  readonly pid: number | undefined;
  /**
   * The promise that resolves with its exit code, or with 128 and the number of the signal that has ended it, when it has written
   * everything.
   */
  readonly ended: Promise<number>;
  send(message: object): void;
  /** Ends it at once. */
  kill(): void;
}

/** The options of another process of this program. */
export interface ChildProgramOptions {
  readonly args: readonly string[];
  /** Options of Node.js: `--inspect`. */
  readonly nodeOptions: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  onMessage(message: unknown): void;
  /** Is called for each line that it writes, without the line's end. */
  onLine(line: string, isError: boolean): void;
}

/** The process of this program that has started this one. */
export interface ParentProgram {
  send(message: object): void;
  /**
   * Calls the listener for each message, and with `undefined` when the parent has gone.
   *
   * @returns stops listening, without which this process would not end by itself.
   */
  onMessage(listener: (message: unknown) => void): () => void;
}

/** Everything that commands take from their process, so that tests run them without one. */
export interface CliEnvironment {
  /** The name by which the program was called: `kopf`, or `kubectl kopf`. */
  readonly name: string;
  readonly version: string;
  /** The folder of this package; files of users must import the library from there, too. @default not checked */
  readonly library?: string;
  /** The address of the hooks that compile TypeScript. @default the program that runs the commands compiles it */
  readonly typescriptHooks?: string;
  /** The address of the hooks that report which files are loaded. @default they are not reported */
  readonly watchHooks?: string;
  /** The keyboard. @default there is no terminal */
  readonly keyboard?: CliKeyboard;
  /** Starts another process of this program. @default there are no processes */
  startChild?(options: ChildProgramOptions): ChildProgram;
  /** The process that has started this one, if it was one of this program. */
  readonly parent?: ParentProgram;
  /** Shows an address in the browser of the user. @default there is no browser */
  openBrowser?(address: string): void;
  readonly variables: Record<string, string | undefined>;
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
