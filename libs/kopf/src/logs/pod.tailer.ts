import type { KubeObject } from '../objects/kube-object.js';
import { Waiters } from 'kube-common';
import { ContainerTailer } from './container.tailer.js';
import type { ContainerProgress, LogBeginning } from './container.reader.js';
import { type ContainerRun, type ContainerRuns, findContainerRuns } from './container.runs.js';
import { type LoggedPod, type LogQuery, type LogSink, type LogTools, wantsContainer } from './log.query.js';

/** The places in the logs of a pod, by the names of its containers. */
export type PodProgress = Map<string, ContainerProgress>;

/** The tailer of a pod: it reads the logs of the containers once they have started, and again when they have restarted. */
export class PodTailer {
  private readonly active = new Map<string, ContainerTailer>();
  private readonly idle = new Waiters();
  private hasSeenPod = false;

  constructor(
    private readonly pod: LoggedPod,
    private readonly query: LogQuery,
    private readonly tools: LogTools,
    private readonly sink: LogSink,
    private readonly progress: PodProgress,
  ) {}

  /** Records the newest state of the pod. */
  update(body: KubeObject): void {
    if (this.sink.signal.aborted) return;
    for (const runs of findContainerRuns(body)) {
      if (!wantsContainer(this.query, runs.name)) continue;
      const tailer = this.active.get(runs.name);
      if (tailer) tailer.onStatus(runs);
      else this.consider(runs);
    }
    this.hasSeenPod = true;
  }

  /** Resolves when no log is read. */
  async settled(): Promise<void> {
    if (this.active.size > 0) await this.idle.join();
  }

  private consider(runs: ContainerRuns): void {
    const { name, current } = runs;
    const known = this.progress.get(name);
    // An event can be older than the state that was read of the pod in between.
    if (known && (known.run.restartCount > current.restartCount || isFinished(known, current.id))) return;
    const from = known ? undefined : this.beginningOf(runs);
    if (from === 'never') return;
    const tailer = new ContainerTailer(this.pod, name, this.query, this.tools, this.sink, known);
    this.active.set(name, tailer);
    // The promise never rejects.
    void tailer.tail(runs, from).then(() => this.onEnd(name, tailer));
  }

  private onEnd(name: string, tailer: ContainerTailer): void {
    this.active.delete(name);
    if (tailer.progress) this.progress.set(name, tailer.progress);
    if (this.active.size === 0) this.idle.release();
  }

  /**
   * Determines where to begin in the log of a container that is seen for the first time: at the start of the log if the container has
   * started after the operator.
   */
  private beginningOf({ current }: ContainerRuns): LogBeginning | undefined | 'never' {
    const { since } = this.query;
    if (since === 'start' || this.hasSeenPod || this.hasStartedLater(current)) return undefined;
    if (since !== 'now') return wholeSecond(this.tools.heap.now()) - since;
    return current.hasEnded ? 'never' : 'end';
  }

  /**
   * Whether a container has started after the operator. The clock of the node can differ, and it reports whole seconds: a container that
   * started in the same second, or in the future, counts as older.
   */
  private hasStartedLater({ startedAt }: ContainerRun): boolean {
    if (this.pod.isNew) return true;
    const { startedAt: begun, heap } = this.tools;
    return startedAt !== undefined && startedAt >= begun && startedAt <= heap.now();
  }
}

function isFinished({ run, isFinished: isRead }: ContainerProgress, id: string): boolean {
  return run.id === id && isRead;
}

function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
