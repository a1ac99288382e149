import type { Readable } from 'node:stream';
import type { KubeObject } from '../../resources/kube-object.js';
/** A command that a client executes in a container, or the client that attaches to one. */
export interface PodProcess {
  readonly pod: KubeObject;
  readonly container: string;
  /** The command with its arguments; empty for a client that attaches. */
  readonly command: readonly string[];
  /** Is true if the client has asked for a terminal. */
  readonly tty: boolean;
  /** The client's input: chunks of bytes; empty if it sends none. It ends where the client closes it. */
  readonly stdin: Readable;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** The sizes of the client's terminal, as they change; the last one, `undefined` before the first. */
  readonly terminalSize: () => { readonly width: number; readonly height: number } | undefined;
  /** Reads the whole input as a text. */
  input(): Promise<string>;
  /** Writes to the standard output. */
  write(output: string | Uint8Array): void;
  /** Writes to the standard error output; with a terminal, there is but one output. */
  writeError(output: string | Uint8Array): void;
}

/** The result of a command. */
export interface PodCommandResult {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
  /** @default 0 */
  readonly exitCode?: number;
}

/**
 * The answer to commands: a result, the standard output alone, or a function that acts as the process and may return either. What the
 * function throws is told to the client as an error of the container runtime.
 */
export type PodCommand =
  | string
  | PodCommandResult
  | ((process: PodProcess) => string | PodCommandResult | void | Promise<string | PodCommandResult | void>);
