import { createStatusError, isStatus } from '../api/api.error.factory.js';
import { ApiGoneError, ConnectionError, RequestTimeoutError, WatchStreamError } from '../api/api.errors.js';
import { type Clock, type ClockTimer, parseJson } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { WatchingSettings } from '../../settings/client.settings.js';
import type { KubeApi } from '../api/api.client.js';
import { LineSplitter } from '../http/line.splitter.js';

/** The reader of a connection's lines. An error that a callback throws ends the connection. */
export interface WatchReader {
  onOpen(): void;
  onLine(line: string): void;
}

/** One connection of a watch, from the request until the stream ends, fails, or is silent for too long. It is used once. */
export class WatchConnection {
  private readonly controller = new AbortController();
  private readonly splitter = new LineSplitter();
  private lastActivity: number;
  private opened = false;
  private watchdog?: ClockTimer;
  private interrupt?: (reason: unknown) => void;

  constructor(
    private readonly api: KubeApi,
    private readonly settings: WatchingSettings,
    private readonly clock: Clock,
    private readonly headers?: Readonly<Record<string, string>>,
  ) {}

  /**
   * Reads until the end of the stream. Returns normally if the server or a time limit of the operator has ended it; otherwise throws, with
   * everything closed.
   *
   * @throws the reason of the signal, an error of the reader, an `ApiError`, or a `ConnectionError`.
   */
  async read(path: string, signal: AbortSignal, reader: WatchReader): Promise<void> {
    const onAbort = (): void => this.stop(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    this.controller.signal.addEventListener('abort', () => this.interrupt?.(this.controller.signal.reason));
    this.lastActivity = this.clock.monotonic();
    this.armWatchdog();
    const { clientTimeout } = this.settings;
    const limit =
      clientTimeout === null ? undefined : this.clock.setTimer(() => this.stop(TIME_IS_UP), clientTimeout * 1000);
    try {
      await this.consume(path, reader);
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
    } finally {
      limit?.cancel();
      this.watchdog?.cancel();
      signal.removeEventListener('abort', onAbort);
      this.controller.abort(TIME_IS_UP);
    }
  }

  /** Ends the connection for a reason, with which {@link read} rejects. */
  stop(reason: unknown): void {
    this.controller.abort(reason);
  }

  private async consume(path: string, reader: WatchReader): Promise<void> {
    const response = await this.interruptible(
      this.api.stream(path, { signal: this.controller.signal, headers: this.headers }),
    );
    this.opened = true;
    reader.onOpen();
    const onLine = (line: string): void => reader.onLine(line);
    const chunks = response.chunks()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const chunk = await this.interruptible(chunks.next());
        if (chunk.done) break;
        this.lastActivity = this.clock.monotonic();
        this.splitter.push(chunk.value, onLine);
      }
    } finally {
      // Closing can take as long as the stream hangs, and aborting the signal closes it anyway.
      chunks.return?.().catch(() => undefined);
    }
    const rest = this.splitter.flush();
    // An incomplete line is sent again after the next connection.
    if (isComplete(rest)) reader.onLine(rest);
  }

  /** Waits for a promise until the connection is stopped, even if the transport does not react. */
  private interruptible<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.interrupt = reject;
      promise.then(resolve, (error: unknown) => reject(this.explain(error)));
    });
  }

  private explain(error: unknown): unknown {
    if (this.controller.signal.aborted) return this.controller.signal.reason;
    if (!this.opened) return error;
    const reason = error instanceof Error ? error.message : 'unknown reason';
    return new ConnectionError(`The stream was interrupted: ${reason}`, { cause: error });
  }

  /** Starts the timer of silence. One timer serves all lines: when it fires, it checks when the last line came, and sleeps for the rest. */
  private armWatchdog(): void {
    const { inactivityTimeout } = this.settings;
    const left = this.lastActivity + inactivityTimeout * 1000 - this.clock.monotonic();
    if (left > 0) this.watchdog = this.clock.setTimer(() => this.armWatchdog(), left);
    else if (this.opened) this.stop(TIME_IS_UP);
    else this.stop(new RequestTimeoutError(`No answer to the watch request within ${inactivityTimeout} seconds`));
  }
}

const TIME_IS_UP = Symbol('time is up');

function isComplete(line: string): boolean {
  if (!line) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** A line of a watch; the type may be an unknown one. */
export interface WatchLine {
  readonly type: string;
  readonly object: KubeObject;
}

/**
 * Parses one line of a watch.
 *
 * @param path the path of the watch, for errors.
 * @throws ApiGoneError if the version is too old; WatchStreamError for other errors of the server, as its cause, and for anything that is
 *   not an event. Such lines are not shown, as they can contain secrets.
 */
export function parseWatchLine(line: string, path: string): WatchLine {
  const event = parse(line);
  if (event?.type === 'ERROR') throw createError(event.object, path);
  if (typeof event?.type !== 'string' || !isObject(event.object)) {
    throw new WatchStreamError(`The stream has a line of ${line.length} characters that is not an event.`);
  }
  return event as WatchLine;
}

function parse(line: string): { type?: unknown; object?: unknown } | null | undefined {
  try {
    return parseJson(line) as { type?: unknown; object?: unknown } | null;
  } catch {
    return undefined;
  }
}

function isObject(value: any): value is KubeObject {
  return typeof value?.metadata === 'object' && value.metadata !== null;
}

function createError(status: unknown, path: string): Error {
  if (!isStatus(status))
    return new WatchStreamError('The server reported an error without a status.', { cause: status });
  const cause = createStatusError('GET', path, status);
  return cause instanceof ApiGoneError
    ? cause
    : new WatchStreamError(`The server reported: ${cause.message}`, { cause });
}
