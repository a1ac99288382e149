import { errorText, type HeapTimer, sleep } from 'kube-common';
import { ContainerLookup } from './container.lookup.js';
import { beginProgress, ContainerReader, type ContainerProgress, type LogBeginning } from './container.reader.js';
import type { ContainerRun, ContainerRuns } from './container.runs.js';
import { LogStoppedError } from './log.connection.js';
import type { LoggedPod, LogQuery, LogSink, LogTools } from './log.query.js';

/** Seconds for which a stream of one run stays open after the pod's status shows the next run. */
const LAST_WORDS_TIMEOUT = 5;

/** The most attempts to read the rest of a run after its end. */
const PREVIOUS_ATTEMPTS = 5;

/** Seconds after which a stream counts as stable: when it ends, it is opened again without a delay. */
const STABLE_AFTER = 60;

/** The tailer of one container: it reads the log through all runs of the container, from its start to its end. */
export class ContainerTailer implements HeapTimer {
  due = 0;
  order = 0;
  position = -1;
  private readonly lookup: ContainerLookup;
  private reader?: ContainerReader;
  /** The number of streams in a row that have brought no new lines. */
  private attempts = 0;

  constructor(
    private readonly pod: LoggedPod,
    private readonly container: string,
    private readonly query: LogQuery,
    private readonly tools: LogTools,
    private readonly sink: LogSink,
    /** The place where the log was left; absent if it is read for the first time. */
    private known?: ContainerProgress,
  ) {
    this.lookup = new ContainerLookup(pod, container, tools, sink);
  }

  /** The place where the log was left, so that reading can continue there later. */
  get progress(): ContainerProgress | undefined {
    return this.known;
  }

  /** Records a newer status of the container: a stream of the run before ends soon, or is stopped. */
  onStatus({ current }: ContainerRuns): void {
    const { run } = this.known ?? {};
    if (!run || current.restartCount <= run.restartCount || this.position >= 0) return;
    this.tools.heap.schedule(this, this.tools.heap.monotonic() + LAST_WORDS_TIMEOUT * 1000);
  }

  /** Stops the stream of the run before, which has not ended in time. */
  fire(): void {
    this.reader?.stop('replaced');
  }

  /**
   * Reads until the container has ended, its pod has gone, or the sink's signal is aborted. Never rejects.
   *
   * @param from where to begin in the log of the first run; `undefined` for everything that the node still has.
   */
  async tail(first: ContainerRuns, from?: LogBeginning): Promise<void> {
    const { signal, logger } = this.sink;
    try {
      let runs: ContainerRuns | undefined = first;
      while (runs && !signal.aborted) {
        await this.catchUp(runs, from);
        if (signal.aborted) return;
        runs = await this.readCurrent(runs);
      }
      if (!signal.aborted) await this.reader?.flush();
    } catch (error) {
      if (!signal.aborted) logger.error(`The log of container ${this.container} is not followed any more.`, error);
    } finally {
      this.tools.heap.remove(this);
    }
  }

  /** Reads the log of the current run until a stream ends. @returns the runs to continue with; `undefined` if everything is read. */
  private async readCurrent({ current }: ContainerRuns): Promise<ContainerRuns | undefined> {
    const reader = this.reader!;
    const isRead = await this.readStream(reader, current.hasEnded ? 'ended' : 'following');
    if (this.sink.signal.aborted) return undefined;
    if (isRead && current.hasEnded) {
      reader.progress.isFinished = true;
      return undefined;
    }
    const runs = await this.lookup.find();
    if (runs?.current.id === current.id) {
      this.tools.statistics.reopened += 1;
      // The last lines of a run that has ended can be read without a delay.
      if (!runs.current.hasEnded || !isRead) await this.pause();
    }
    return runs;
  }

  /** Reads what is left of earlier runs, and continues with the current run. */
  private async catchUp(runs: ContainerRuns, from: LogBeginning | undefined): Promise<void> {
    const { current, previous } = runs;
    const { known } = this;
    if (known?.run.id === current.id) {
      this.reader ??= this.createReader(known);
      await this.reader.repeat();
      return;
    }
    this.tools.heap.remove(this);
    const isFirst = known === undefined;
    // It is not known which lines were wanted of a run that was replaced before the end of its log was found.
    if (known && !known.isFinished && !known.isUnanchored) {
      this.reader ??= this.createReader(known);
      await this.reader.repeat();
      if (previous?.id === known.run.id) await this.readRest(this.reader);
      else this.reportLoss(known.run);
      await this.reader.flush();
    }
    const isMissing = previous && previous.id !== known?.run.id;
    if (isMissing && (!isFirst || this.query.since === 'start')) {
      await this.readRest(this.begin(previous));
      await this.reader?.flush();
    }
    if (!this.sink.signal.aborted) this.begin(current, isFirst ? from : undefined);
  }

  private begin(run: ContainerRun, from?: LogBeginning): ContainerReader {
    this.known = beginProgress(run, this.query, from);
    this.attempts = 0;
    this.reader = this.createReader(this.known);
    return this.reader;
  }

  private createReader(progress: ContainerProgress): ContainerReader {
    const { pod, query, tools, sink, lookup, container } = this;
    return new ContainerReader(pod, query, tools, sink, lookup, container, progress);
  }

  /** Reads the remaining lines of the run before the current one. */
  private async readRest(reader: ContainerReader): Promise<void> {
    for (let attempt = 0; attempt < PREVIOUS_ATTEMPTS; attempt++) {
      const isRead = await this.readStream(reader, 'previous');
      if (this.sink.signal.aborted) return;
      if (isRead) {
        reader.progress.isFinished = true;
        return;
      }
      const runs = await this.lookup.find();
      if (runs?.previous?.id !== reader.progress.run.id) break;
      await this.pause();
    }
    if (!this.sink.signal.aborted) this.reportLoss(reader.progress.run);
  }

  private reportLoss({ restartCount }: ContainerRun): void {
    this.tools.statistics.lostRuns += 1;
    this.sink.logger.warn(
      `The last lines of container ${this.container} after restart ${restartCount} cannot be read any more.`,
    );
  }

  /** @returns whether the server has sent the whole log. */
  private async readStream(reader: ContainerReader, which: 'following' | 'ended' | 'previous'): Promise<boolean> {
    const { slots, heap } = this.tools;
    const { signal, logger } = this.sink;
    const begun = heap.monotonic();
    try {
      // The end of the log is looked for before waiting for a slot, as the container writes further lines while it waits.
      if (which !== 'previous') await reader.anchor();
    } catch (error) {
      if (!signal.aborted) this.report(error, false);
      return false;
    }
    try {
      await slots.take(signal, () =>
        logger.warn(`The log of container ${this.container} has to wait, as logs.maxStreams are open.`),
      );
    } catch {
      return false;
    }
    try {
      await reader.read(which);
      return true;
    } catch (error) {
      if (!signal.aborted) this.report(error, reader.hasOpened);
      return false;
    } finally {
      slots.release();
      if (reader.hasProgressed || heap.monotonic() - begun > STABLE_AFTER * 1000) this.attempts = 0;
    }
  }

  private report(error: unknown, hasOpened: boolean): void {
    const { logger } = this.sink;
    if (error instanceof LogStoppedError) {
      logger.debug(() => `The log of container ${this.container} is opened again: ${error.message}`);
    } else if (hasOpened || this.attempts > 0) {
      logger.debug(() => `The log of container ${this.container} has broken off: ${errorText(error)}`);
    } else logger.warn(`The log of container ${this.container} cannot be read: ${errorText(error)}`);
  }

  /** Waits before the next stream, longer each time; not at all if the last one has brought new lines. */
  private async pause(): Promise<void> {
    const { heap, settings } = this.tools;
    const attempt = this.attempts++;
    if (attempt === 0 && this.reader?.hasProgressed) return;
    await sleep(heap, Math.min(settings.maxReconnectDelay, 2 ** Math.min(attempt, 10)), this.sink.signal);
  }
}
