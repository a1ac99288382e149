import type { Duplex, Readable } from 'node:stream';
import type { KubeObject } from '../../resources/kube-object.js';
import { copyCommand } from './copied.files.js';
import { matchesPod, type PodMatch } from './pod.match.js';

/** A command that a client executes in a container, or the client that attaches to one. */
export interface PodProcess {
  readonly pod: KubeObject;
  readonly container: string;
  /** The command with its arguments; empty for a client that attaches. */
  readonly command: readonly string[];
  /** Whether the client has asked for a terminal. */
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
 * The answer to commands: a result, the standard output alone, or a function that acts as the process and may return either. An error that
 * the function throws reaches the client as an error of the container runtime.
 */
export type PodCommand =
  | string
  | PodCommandResult
  | ((process: PodProcess) => string | PodCommandResult | void | Promise<string | PodCommandResult | void>);

/** The listener on a port of a pod: a port on this machine, or a function that takes each connection. */
export type PodPort = number | ((connection: Duplex) => void);

interface Scripted<Script> {
  readonly match: PodMatch;
  readonly container?: string;
  readonly port?: number;
  readonly script: Script;
}

/** The processes and ports that a test has set for simulated pods; later scripts win. */
export class SimulatedProcesses {
  private readonly commands: Scripted<PodCommand>[] = [];
  private readonly attachments: Scripted<PodCommand>[] = [];
  private readonly ports: Scripted<PodPort>[] = [];
  private readonly folders: Scripted<string>[] = [];

  exec(match: PodMatch, answer: PodCommand, container?: string): () => void {
    return register(this.commands, { match, script: answer, ...(container && { container }) });
  }

  attach(match: PodMatch, answer: PodCommand, container?: string): () => void {
    return register(this.attachments, { match, script: answer, ...(container && { container }) });
  }

  files(match: PodMatch, folder: string, container?: string): () => void {
    return register(this.folders, { match, script: folder, ...(container && { container }) });
  }

  listen(match: PodMatch, port: number, target: PodPort): () => void {
    return register(this.ports, { match, port, script: target });
  }

  /** Returns the answer to a command, or to a client that attaches with none; undefined if none is set. */
  answerTo(
    stream: 'exec' | 'attach',
    pod: KubeObject,
    container: string,
    command: readonly string[],
  ): PodCommand | undefined {
    const find = <Script>(list: readonly Scripted<Script>[]): Script | undefined =>
      list.findLast((each) => (each.container ?? container) === container && matchesPod(each.match, pod))?.script;
    if (stream === 'attach') return find(this.attachments);
    const folder = find(this.folders);
    return (folder && copyCommand(folder, command)) ?? find(this.commands);
  }

  /** Whether any port of a pod has a listener. */
  hasPorts(pod: KubeObject): boolean {
    return this.ports.some(({ match }) => matchesPod(match, pod));
  }

  /** Returns the listener on a port of a pod; undefined if none is set. */
  portOf(pod: KubeObject, port: number): PodPort | undefined {
    return this.ports.findLast((each) => each.port === port && matchesPod(each.match, pod))?.script;
  }
}

function register<Script>(list: Scripted<Script>[], entry: Scripted<Script>): () => void {
  list.push(entry);
  return () => {
    const index = list.indexOf(entry);
    if (index >= 0) list.splice(index, 1);
  };
}
