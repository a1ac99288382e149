import type { FaultLine, LineDamage } from './fault.types.js';

type Result = IteratorResult<Uint8Array>;

/** The signal for a reader that held lines can be passed. */
const RELEASED = Symbol('released');

const NEWLINE = 10;
const GARBAGE = Buffer.from('{"type":"MODIFIED","object":<html>502 Bad Gateway</html>\n');
const NOTHING = new Uint8Array();
const DONE: Result = { done: true, value: undefined };

/** The decision on the damage to a line; `undefined` for none. */
export type LineInspector = (line: FaultLine) => LineDamage | undefined;

/** The body of a watch on its way to the client, which can be damaged. */
export class FaultyStream implements AsyncIterableIterator<Uint8Array> {
  private outcome: 'cut' | 'end' | 'stall' | undefined;
  private last: Uint8Array | undefined;
  private damageOfNext: 'cut' | 'stall' | undefined;
  private interrupt: ((result: Result | Error | typeof RELEASED) => void) | undefined;
  /** The chunk that is waited for; it is asked for once, however often the wait is interrupted. */
  private reading: Promise<Result> | undefined;
  /** The version after which lines are held back. */
  private limit = Infinity;
  private held: Uint8Array[] = [];

  /**
   * @param inspector returns `undefined` while no line can meet a fault, so that lines are passed as they come
   * @param release called once, when the stream has ended or its reader has gone
   */
  constructor(
    private readonly source: AsyncIterableIterator<Uint8Array>,
    private readonly inspector: () => LineInspector | undefined,
    private release: (() => void) | undefined,
  ) {}

  /** Ends the stream, breaks its connection, or lets it fall silent; before that, sends the last bytes if there are any. */
  finish(outcome: 'cut' | 'end' | 'stall', last?: Uint8Array): void {
    if (this.outcome) return;
    this.outcome = outcome;
    this.last = last;
    if (outcome !== 'stall') void this.source.return?.();
    const { interrupt } = this;
    if (interrupt && (last || outcome !== 'stall')) interrupt(this.conclude());
  }

  /** Holds back the lines of changes after a version, until the next call; `Infinity` for none. */
  holdAfter(revision: number): void {
    this.limit = revision;
    if (this.held.length > 0) this.interrupt?.(RELEASED);
  }

  /** Breaks the connection, or lets it fall silent, in the middle of the next line. */
  breakNextLine(outcome: 'cut' | 'stall'): void {
    this.damageOfNext = outcome;
  }

  async next(): Promise<Result> {
    for (;;) {
      if (this.outcome) {
        const result = this.last || this.outcome !== 'stall' ? this.conclude() : await this.untilInterrupted();
        if (result === RELEASED) continue;
        if (result instanceof Error) throw result;
        return result;
      }
      const chunk = this.takeDue() ?? (await this.read());
      if (chunk === RELEASED) continue;
      if (!chunk) return DONE;
      const inspect = this.damageOfNext ? () => this.damageOfNext : this.inspector();
      const value = inspect && chunk.length > 0 ? this.damage(chunk, inspect) : chunk;
      if (value.length > 0) return { done: false, value };
    }
  }

  async return(): Promise<Result> {
    this.leave();
    this.interrupt?.(DONE);
    await this.source.return?.();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads the next chunk, without what is held back of it; nothing at the end. */
  private async read(): Promise<Uint8Array | typeof RELEASED | undefined> {
    const result = await this.untilInterrupted((this.reading ??= this.source.next()));
    if (result === RELEASED) return RELEASED;
    this.reading = undefined;
    if (result instanceof Error) throw result;
    if (result.done) {
      this.leave();
      return undefined;
    }
    // What was held until just now comes first.
    if (this.limit === Infinity && this.held.length === 0) return result.value;
    this.held.push(...splitLines(result.value));
    return this.takeDue() ?? NOTHING;
  }

  /** Waits for more, until an interruption. */
  private untilInterrupted(more?: Promise<Result>): Promise<Result | Error | typeof RELEASED> {
    return new Promise((resolve, reject) => {
      this.interrupt = (result) => {
        this.interrupt = undefined;
        resolve(result);
      };
      more?.then((result) => {
        // What comes after the damage is lost; the end of the source may be due to it.
        if (!this.outcome) this.interrupt?.(result);
      }, reject);
    });
  }

  private conclude(): Result | Error {
    const { last } = this;
    this.last = undefined;
    if (last) return { done: false, value: last };
    this.leave();
    return this.outcome === 'cut' ? new ConnectionLostError('ECONNRESET', 'The connection was reset') : DONE;
  }

  /** Returns the lines that were held back and need not be any longer, up to the first one that still is. */
  private takeDue(): Uint8Array | undefined {
    if (this.held.length === 0) return undefined;
    const first = this.held.findIndex((line) => versionOf(line) > this.limit);
    const due = this.held.splice(0, first < 0 ? this.held.length : first);
    return due.length > 0 ? Buffer.concat(due) : undefined;
  }

  /** Passes the lines of a chunk, except for those that meet a fault. */
  private damage(chunk: Uint8Array, inspect: LineInspector): Uint8Array {
    const passed: Uint8Array[] = [];
    for (const line of splitLines(chunk)) {
      switch (inspect(toFaultLine(line))) {
        case undefined:
          passed.push(line);
          break;
        case 'repeat':
          passed.push(line, line);
          break;
        case 'garble':
          passed.push(GARBAGE);
          break;
        case 'cut':
          passed.push(line.subarray(0, line.length >> 1));
          this.finish('cut');
          return Buffer.concat(passed);
        case 'stall':
          passed.push(line.subarray(0, line.length >> 1));
          this.finish('stall');
          return Buffer.concat(passed);
        case 'drop':
          break;
      }
    }
    return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
  }

  private leave(): void {
    this.release?.();
    this.release = undefined;
  }
}

/** Splits a chunk of a watch, which ends with a line, into lines. */
function splitLines(chunk: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < chunk.length;) {
    const end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length;
    lines.push(chunk.subarray(start, end));
    start = end;
  }
  return lines;
}

function toFaultLine(line: Uint8Array): FaultLine {
  const { type, object } = JSON.parse(Buffer.from(line).toString('utf8')) as {
    type: string;
    object: { metadata?: { name?: string; namespace?: string } };
  };
  const { name, namespace } = object.metadata ?? {};
  return { type, ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
}

/** Reads the version of the change that a line is about; 0 for errors of the watch itself. */
function versionOf(line: Uint8Array): number {
  const { object } = JSON.parse(Buffer.from(line).toString('utf8')) as {
    object: { metadata?: { resourceVersion?: string } };
  };
  return Number(object.metadata?.resourceVersion ?? 0);
}

/** The error of a request without an answer: the connection broke, or the server is down. Over HTTPS, the socket is closed instead. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor(
    /** The code of Node's error for it. */
    readonly code: 'ECONNRESET' | 'ECONNREFUSED',
    message: string,
  ) {
    super(message);
  }
}
