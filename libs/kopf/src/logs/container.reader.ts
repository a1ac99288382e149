import { resourceUrl } from '../resources/resources.js';
import type { HeapTimer } from 'kube-common';
import type { ContainerLookup } from './container.lookup.js';
import type { ContainerRun } from './container.runs.js';
import { type CutLine, LineCutter } from './line.cutter.js';
import { LineJoiner } from './line.joiner.js';
import { LogConnection, LogStoppedError, type LogStopReason } from './log.connection.js';
import { LogAnchor } from './log.anchor.js';
import { type ContainerLine, parseContainerLine } from './log.line.js';
import { matchMessage, type LoggedPod, type LogQuery, type LogSink, type LogTools } from './log.query.js';
import { ReplayWindow } from './replay.window.js';

/** The place in a container's log up to which it was read, so that reading can continue there. */
export interface ContainerProgress {
  run: ContainerRun;
  window: ReplayWindow;
  joiner: LineJoiner | undefined;
  /** Whether the whole log of the run was read. */
  isFinished: boolean;
  /** A message that was not handled, as the tailing was ended. */
  unhandled: ContainerLine | undefined;
  /** Whether the end of the log is still to be found, if only lines after it are wanted. */
  isUnanchored: boolean;
}

/** Where to begin in a log: at the end that it has now, or at a second since the epoch. */
export type LogBeginning = 'end' | number;

/** Creates the progress of a run whose log was not read before. @param from where to begin. @default the beginning of the log */
export function beginProgress(run: ContainerRun, { multiline }: LogQuery, from?: LogBeginning): ContainerProgress {
  const joiner = multiline && new LineJoiner(multiline);
  const isUnanchored = from === 'end';
  const window = new ReplayWindow(isUnanchored ? undefined : from);
  return { run, window, joiner, isFinished: false, unhandled: undefined, isUnanchored };
}

/** The number of last lines that are read to find the end of a log: so many can be equal, with one time stamp. */
const TAIL_LINES = 100;

/** The reader of the log of one run of a container, stream by stream, which passes each line to the sink once. */
export class ContainerReader implements HeapTimer {
  due = 0;
  order = 0;
  position = -1;
  /** Whether the last stream has brought new lines. */
  hasProgressed = false;
  private connection?: LogConnection;
  private isConfirmed = false;
  private isPrevious = false;
  /** The handling of a message that was flushed because no further line came. */
  private flushing?: Promise<void>;

  constructor(
    private readonly pod: LoggedPod,
    private readonly query: LogQuery,
    private readonly tools: LogTools,
    private readonly sink: LogSink,
    private readonly lookup: ContainerLookup,
    private readonly container: string,
    readonly progress: ContainerProgress,
  ) {}

  /** Stops the stream that is being read. */
  stop(reason: LogStopReason): void {
    this.connection?.stop(reason);
  }

  /** Whether the server has begun to answer the last request. */
  get hasOpened(): boolean {
    return this.connection?.isOpened ?? false;
  }

  /**
   * Finds the end of the log, if only lines after it are wanted.
   *
   * @throws as {@link LogConnection.read}
   */
  async anchor(): Promise<void> {
    const { progress, tools, sink, lookup } = this;
    if (!progress.isUnanchored) return;
    const cutter = new LineCutter(tools.settings.maxLineLength);
    const lines: CutLine[] = [];
    this.connection = new LogConnection(tools);
    await this.connection.read(this.urlOf({ tailLines: TAIL_LINES }), sink.signal, async (chunk) => {
      lines.push(...cutter.push(chunk));
    });
    const rest = cutter.flush();
    if (rest) lines.push(rest);
    const tail = lines.map(({ text, isTruncated }) => parseContainerLine(text, isTruncated));
    const foreign = tail.find(({ timestamp }) => !timestamp);
    if (foreign) throw new Error(foreign.text);
    if (!(await lookup.isCurrent(progress.run))) throw new LogStoppedError('replaced');
    if (tail.length > 0) progress.window.beginAfter(new LogAnchor(tail, rest !== undefined));
    progress.isUnanchored = false;
  }

  /**
   * Reads the unread lines until the stream ends.
   *
   * @param which `following`: what the container writes from now on, too; `ended`: of a container that has ended; `previous`: that of the
   * run before the present one.
   * @throws as {@link LogConnection.read}
   */
  async read(which: 'following' | 'ended' | 'previous'): Promise<void> {
    const { window } = this.progress;
    const { signal } = this.sink;
    const cutter = new LineCutter(this.tools.settings.maxLineLength);
    this.hasProgressed = false;
    this.isPrevious = which === 'previous';
    this.isConfirmed = this.isPrevious || !window.isEmpty;
    window.reopen();
    this.connection = new LogConnection(this.tools);
    try {
      await this.connection.read(this.path, signal, async (chunk) => {
        await this.takeAll(cutter.push(chunk));
        this.armFlush();
      });
      // The last line of a container that still writes can be incomplete: it is read again when it is whole.
      const rest = which === 'following' ? undefined : cutter.flush();
      if (rest) await this.takeAll([rest]);
    } finally {
      this.tools.heap.remove(this);
      await this.flushing;
    }
  }

  /** Has the message handled whose lines wait for further lines. */
  async flush(): Promise<void> {
    await this.flushing;
    const message = this.progress.joiner?.flush();
    if (message) await this.deliver(message);
  }

  /** Has the message handled that was left unhandled before. */
  async repeat(): Promise<void> {
    const { unhandled } = this.progress;
    if (unhandled) await this.deliver(unhandled);
  }

  /** Flushes the message, as no further line has come for it. */
  fire(): void {
    // The sink never rejects.
    this.flushing = this.flush().then(() => void (this.flushing = undefined));
  }

  private get path(): string {
    const { since } = this.progress.window;
    return this.urlOf({
      ...(this.isPrevious ? { previous: true } : { follow: true }),
      ...(since !== undefined && { sinceTime: new Date(since * 1000).toISOString().replace('.000Z', 'Z') }),
    });
  }

  private urlOf(part: Readonly<Record<string, string | number | boolean>>): string {
    const { resource, name, namespace } = this.pod;
    const query = { container: this.container, timestamps: true, ...part };
    return resourceUrl(resource, { name, namespace, subresource: 'log', query });
  }

  private async takeAll(lines: readonly CutLine[]): Promise<void> {
    const { signal } = this.sink;
    for (const { text, isTruncated } of lines) {
      if (signal.aborted) return;
      const line = parseContainerLine(text, isTruncated);
      // All lines of containers have a time stamp: a line without one is written by the node, for example that it cannot read the log.
      if (!line.timestamp) throw new Error(text);
      if (!this.isConfirmed) await this.confirm();
      let novelty = this.progress.window.take(line);
      if (novelty === 'gap') {
        await this.acceptGap();
        novelty = this.progress.window.take(line);
      }
      if (novelty === 'known') continue;
      this.hasProgressed = true;
      this.tools.statistics.lines += 1;
      if (isTruncated) this.tools.statistics.truncated += 1;
      const message = this.join(line);
      if (this.flushing) await this.flushing;
      if (message) await this.deliver(message);
    }
  }

  private join(line: ContainerLine): ContainerLine | undefined {
    const { joiner } = this.progress;
    return joiner ? joiner.push(line) : line;
  }

  private armFlush(): void {
    const { joiner } = this.progress;
    if (!joiner?.isPending) return;
    this.tools.heap.schedule(this, this.tools.heap.monotonic() + this.query.multiline!.timeout * 1000);
  }

  /** Confirms the run before its first line: the container can have been restarted between the look-up and the answer. */
  private async confirm(): Promise<void> {
    if (!(await this.lookup.isCurrent(this.progress.run))) throw new LogStoppedError('replaced');
    this.isConfirmed = true;
  }

  /** Accepts that no known line has come: the log belongs to another run, or the node has begun a new file. */
  private async acceptGap(): Promise<void> {
    const which = this.isPrevious ? 'previous' : 'current';
    if (await this.lookup.isReplaced(this.progress.run, which)) throw new LogStoppedError('replaced');
    this.tools.statistics.gaps += 1;
    const { name } = this.pod;
    this.sink.logger.debug(
      () => `The log of container ${this.container} of ${name} has been rotated; lines can be missing.`,
    );
    this.progress.window.acceptGap();
  }

  private async deliver(line: ContainerLine): Promise<void> {
    const { progress, container } = this;
    const found = matchMessage(this.query, line.text);
    if (!found) return;
    const { id: containerId, restartCount } = progress.run;
    const { text: message, timestamp, isTruncated } = line;
    progress.unhandled = line;
    const isHandled = await this.sink.handle({
      message,
      timestamp,
      container,
      containerId,
      restartCount,
      isTruncated,
      ...found,
    });
    if (!isHandled) return;
    progress.unhandled = undefined;
    this.tools.statistics.messages += 1;
  }
}
