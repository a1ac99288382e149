import type { Clock } from 'kube-common';
import type { KubeObject } from '../../resources/kube-object.js';
import { matchesPod, type PodMatch } from './pod.match.js';
import { type PodLogRequest, SimulatedLogs } from './simulated.logs.js';
import { type PodPort, SimulatedProcesses } from './simulated.processes.js';
import type { PodCommand } from './pod.command.js';
import type { ContainerEnd } from './pod.statuses.js';

/** The pace and the outcome of pods. Times are in seconds. */
export interface PodScript {
  /** The time from creation to running. */
  readonly startSeconds?: number;
  /** The time after which the containers end; they run until the pod is deleted otherwise. */
  readonly runSeconds?: number;
  /** The time from the request to delete until the pod is gone; never more than its grace period. */
  readonly stopSeconds?: number;
  /** The exit code of containers that end. @default 0 */
  readonly exitCode?: number;
  /** The reason of containers that end: `OOMKilled`, for example. */
  readonly reason?: string;
  /** The message of containers that end. */
  readonly message?: string;
  /** Whether running containers are ready. @default true */
  readonly ready?: boolean;
  /** The reason why containers do not start: `{ reason: 'ImagePullBackOff' }`. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
}

/** The failure of a pod. */
export interface PodFailure {
  /** `Error`, `OOMKilled`, and others of containers; `Evicted` and `NodeShutdown` end the whole pod. @default 'Error' */
  readonly reason?: string;
  readonly message?: string;
  /** @default 137 for `OOMKilled`, 1 otherwise */
  readonly exitCode?: number;
}

/** The interface by which tests act on running pods; the kubelet implements it. */
export interface PodDirector {
  /** Returns the pods that match now. */
  matching(match: PodMatch): readonly KubeObject[];
  end(pod: KubeObject, end: ContainerEnd): Promise<void>;
  evict(pod: KubeObject, reason: string, message: string | undefined): Promise<void>;
  /** Looks at the pods again. */
  refresh(match: PodMatch): void;
}

interface Scripted<Script> {
  readonly match: PodMatch;
  readonly script: Script;
}

const WHOLE_POD = new Set(['Evicted', 'NodeShutdown', 'Terminated', 'DeadlineExceeded']);

/**
 * The control of simulated pods: when they start and end, and what they print.
 *
 * @example
 * await kube.pods.fail('web-0', { reason: 'OOMKilled' });
 * kube.pods.script({ labels: { app: 'web' } }, { waiting: { reason: 'ImagePullBackOff' } });
 * kube.pods.log('web-0', 'ready\n');
 * kube.pods.exec('web-0', ({ command }) => (command[0] === 'date' ? '2026-01-01\n' : { exitCode: 127 }));
 */
export class SimulatedPods {
  private readonly scripts: Scripted<PodScript>[] = [];
  /** @internal The logs of pods, and the clients that follow them. */
  readonly logs: SimulatedLogs;
  /** @internal The processes and ports of pods, for `kubectl exec`, `attach` and `port-forward`. */
  readonly processes = new SimulatedProcesses();
  private director: PodDirector | undefined;

  /** @internal */
  constructor(clock: Clock) {
    this.logs = new SimulatedLogs(clock);
  }

  /** Sets the pace and the outcome of pods, existing and future ones. Later scripts win. @returns the function that takes the script back */
  script(match: PodMatch, script: PodScript): () => void {
    const end = register(this.scripts, { match, script });
    this.director?.refresh(match);
    return () => {
      end();
      this.director?.refresh(match);
    };
  }

  /**
   * Lets running pods fail now: their containers are restarted if their policy says so, after a pause from the second time on.
   *
   * @throws Error if no pod matches, or pods are not simulated
   */
  async fail(match: PodMatch, { reason = 'Error', message, exitCode }: PodFailure = {}): Promise<void> {
    for (const pod of this.find(match)) {
      if (WHOLE_POD.has(reason)) await this.director!.evict(pod, reason, message);
      else {
        const code = exitCode ?? (reason === 'OOMKilled' ? 137 : 1);
        await this.director!.end(pod, { exitCode: code, reason, ...(message && { message }) });
      }
    }
  }

  /**
   * Lets the containers of running pods end with success now; those that are always restarted begin again.
   *
   * @throws Error if no pod matches, or pods are not simulated
   */
  async succeed(match: PodMatch): Promise<void> {
    for (const pod of this.find(match)) await this.director!.end(pod, { exitCode: 0 });
  }

  /** Sets what `kubectl logs` prints of pods, of one container or of all. @returns the function that takes the log back */
  log(match: PodMatch, text: string | ((request: PodLogRequest) => string), container?: string): () => void {
    return this.logs.set(match, text, container);
  }

  /**
   * Adds to the log of pods, of one container or of all; `kubectl logs --follow` shows it at once.
   *
   * @example kube.pods.print('web-0', 'GET /index.html 200\n');
   */
  print(match: PodMatch, text: string, container?: string): void {
    this.logs.print(match, text, container);
  }

  /**
   * Rotates the log of pods, as a node does with a log that has become large: what was printed before cannot be read any more.
   *
   * @param options.losesFollowers whether clients that follow the log get nothing more, as on some nodes. @default false
   *
   * @example kube.pods.rotateLog('web-0', { losesFollowers: true });
   */
  rotateLog(match: PodMatch, options: { readonly container?: string; readonly losesFollowers?: boolean } = {}): void {
    this.logs.rotate(match, options.container, options.losesFollowers ?? false);
  }

  /**
   * Sets the answer to `kubectl exec` in pods, in one container or in all. Nothing is executed. Returns the function that takes the answer back.
   *
   * @example
   * kube.pods.exec('web-0', { stderr: 'no such file\n', exitCode: 2 });
   * kube.pods.exec({ labels: { app: 'db' } }, async ({ command, input }) => `${command.join(' ')}: ${await input()}`);
   */
  exec(match: PodMatch, answer: PodCommand, container?: string): () => void {
    return this.processes.exec(match, answer, container);
  }

  /** Sets the answer to `kubectl attach`, as {@link exec} does for commands. @returns the function that takes the answer back */
  attach(match: PodMatch, answer: PodCommand, container?: string): () => void {
    return this.processes.attach(match, answer, container);
  }

  /**
   * Makes a folder of this machine the root of the files that `kubectl cp` copies from pods and to them; `tar` of this machine does it.
   * Returns the function that takes the answer back.
   *
   * @example kube.pods.files('web-0', './fixtures'); // kubectl cp web-0:/config.yaml config.yaml
   */
  files(match: PodMatch, folder: string, container?: string): () => void {
    return this.processes.files(match, folder, container);
  }

  /**
   * Sets the listener on a port of pods for `kubectl port-forward`. Returns the function that removes it.
   *
   * @param target a port on this machine, to which connections are passed on, or a function that takes each connection
   */
  listen(match: PodMatch, port: number, target: PodPort): () => void {
    return this.processes.listen(match, port, target);
  }

  /** @internal Connects the kubelet, which acts on running pods. */
  direct(director: PodDirector): void {
    this.director = director;
  }

  /** @internal The pace and the outcome of one pod. */
  scriptOf(pod: KubeObject): PodScript {
    if (!this.scripts.length) return {};
    const scripts = this.scripts.filter(({ match }) => matchesPod(match, pod)).map(({ script }) => script);
    return Object.assign({}, ...scripts) as PodScript;
  }

  private find(match: PodMatch): readonly KubeObject[] {
    if (!this.director) throw new Error('Pods are not simulated: start the server with the option `pods`');
    const pods = this.director.matching(match);
    if (!pods.length) throw new Error(`No pod matches ${JSON.stringify(match)}`);
    return pods;
  }
}

function register<Script>(list: Scripted<Script>[], entry: Scripted<Script>): () => void {
  list.push(entry);
  return () => {
    const index = list.indexOf(entry);
    if (index >= 0) list.splice(index, 1);
  };
}
