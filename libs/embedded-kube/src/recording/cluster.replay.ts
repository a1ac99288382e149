import { internalError } from '../errors/status.errors.js';
import { isStreaming } from '../server/request.info.js';
import type { KubeRequest, KubeResponse, KubeTransport } from 'kube-common';
import type { ClusterRecording, RecordedExchange, RecordedLine, RecordedStream } from './cluster.recording.js';
import { redactText } from './redaction.js';
import { TransportResponse } from './transport.response.js';

/** The parameters that differ from run to run without meaning anything else. */
const VARYING = ['timeoutSeconds', 'timeout'];

/** Something that was recorded, with its place. */
interface Placed<Entry> {
  readonly entry: Entry;
  readonly place: number;
}

/**
 * A transport that answers as a recorded cluster has answered.
 *
 * A request is found by its method and path; of several, the first one is taken that was not replayed yet, writes with the same body before
 * others. The last answer to a read is repeated. A line of a watch comes once all writes were sent that were sent before it when it was
 * recorded, so that no client sees the effect before the cause.
 *
 * @example
 * const replay = new ClusterReplay(ClusterRecording.parse(readFileSync('cluster.recording', 'utf8')));
 * // … the operator works over the replay
 * expect([replay.unexpected, replay.missing]).toEqual([[], []]);
 */
export class ClusterReplay implements KubeTransport {
  private readonly exchanges = new Map<string, Placed<RecordedExchange>[]>();
  private readonly streams = new Map<string, Placed<RecordedStream>[]>();
  private readonly lines = new Map<number, Placed<RecordedLine>[]>();
  private readonly ends = new Map<number, number>();
  private readonly writes: Placed<RecordedExchange>[] = [];
  private readonly unknown: string[] = [];
  private readonly closing = new AbortController();
  private waiting: (() => void)[] = [];

  constructor(recording: ClusterRecording) {
    for (const [place, entry] of recording.entries.entries()) {
      if (entry.type === 'line') add(this.lines, entry.id, { entry, place });
      else if (entry.type === 'end') this.ends.set(entry.id, place);
      else if (entry.type === 'stream') add(this.streams, streamKey(entry.path), { entry, place });
      else {
        const placed = { entry, place };
        add(this.exchanges, exchangeKey(entry.method, entry.path), placed);
        if (entry.method !== 'GET') this.writes.push(placed);
      }
    }
  }

  /** The requests so far that were not recorded, as `PATCH /api/v1/…`; they are answered by 500. */
  get unexpected(): readonly string[] {
    return [...this.unknown];
  }

  /** The recorded writes that were not sent so far, as `PATCH /api/v1/…`. */
  get missing(): readonly string[] {
    return this.writes.map(({ entry: { method, path } }) => `${method} ${path}`);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- Rejects instead of throwing.
  async request({ method, path, body = '', signal }: KubeRequest): Promise<KubeResponse> {
    this.closing.signal.throwIfAborted();
    signal?.throwIfAborted();
    const stream = isStreaming(method, path) ? this.streams.get(streamKey(path))?.shift() : undefined;
    if (stream) {
      const { id, status, headers } = stream.entry;
      return new TransportResponse(status, headers, this.play(id, signal));
    }
    const found = this.take(method, path, redactText(path, body));
    if (found) return new TransportResponse(found.status, found.headers, found.text);
    // A watch of what was watched before continues without lines.
    if (isStreaming(method, path) && this.streams.has(streamKey(path))) {
      return new TransportResponse(200, { 'content-type': 'application/json' }, this.play(undefined, signal));
    }
    this.unknown.push(`${method} ${path}`);
    const error = internalError(`the recording has no answer to ${method} ${path}`);
    return new TransportResponse(500, { 'content-type': 'application/json' }, JSON.stringify(error.toStatus()));
  }

  close(): Promise<void> {
    this.closing.abort(new Error('The replay is closed'));
    return Promise.resolve();
  }

  private take(method: string, path: string, body: string): RecordedExchange | undefined {
    const recorded = this.exchanges.get(exchangeKey(method, path)) ?? [];
    const found = recorded.find(({ entry }) => entry.body === body) ?? recorded[0];
    if (!found) return undefined;
    if (method !== 'GET' || recorded.length > 1) recorded.splice(recorded.indexOf(found), 1);
    const index = this.writes.indexOf(found);
    if (index >= 0) {
      this.writes.splice(index, 1);
      for (const wake of this.waiting.splice(0)) wake();
    }
    return found.entry;
  }

  /** @param id `undefined` for a stream in which nothing happens */
  private async *play(id: number | undefined, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const signals = [this.closing.signal, ...(signal ? [signal] : [])];
    for (const { entry, place } of (id !== undefined && this.lines.get(id)) || []) {
      await this.reached(place, signals);
      yield Buffer.from(`${entry.text}\n`);
    }
    await this.reached((id !== undefined && this.ends.get(id)) || Infinity, signals);
  }

  /** Waits until all writes were sent that stand before a place. */
  private async reached(place: number, signals: readonly AbortSignal[]): Promise<void> {
    while (place === Infinity || (this.writes[0]?.place ?? Infinity) < place) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => reject(signals.find(({ aborted }) => aborted)!.reason as Error);
        if (signals.some(({ aborted }) => aborted)) leave();
        for (const signal of signals) signal.addEventListener('abort', leave, { once: true });
        this.waiting.push(() => {
          for (const signal of signals) signal.removeEventListener('abort', leave);
          resolve();
        });
      });
    }
  }
}

function exchangeKey(method: string, path: string): string {
  return `${method} ${canonical(path, VARYING)}`;
}

/**
 * Makes the key of a stream without the version: a replayed watch resumes from another version than the recorded one if its connection
 * broke at another time.
 */
function streamKey(path: string): string {
  return canonical(path, [...VARYING, 'resourceVersion']);
}

function canonical(path: string, ignored: readonly string[]): string {
  const { pathname, searchParams } = new URL(path, 'http://cluster.invalid');
  for (const name of ignored) searchParams.delete(name);
  searchParams.sort();
  return `${pathname}?${searchParams.toString()}`;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
