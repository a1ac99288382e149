import type { Duplex } from 'node:stream';
import type { KubeObject } from '../../resources/kube-object.js';
import { copyCommand } from './copied.files.js';
import { matchesPod, type PodMatch } from './pod.match.js';
import type { PodCommand } from './pod.command.js';

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
