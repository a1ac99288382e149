import type { FaultLine, LineDamage } from './fault.types.js';

type Result = IteratorResult<Uint8Array>;

const NEWLINE = 10;
const GARBAGE = Buffer.from('{"type":"MODIFIED","object":<html>502 Bad Gateway</html>\n');
const DONE: Result = { done: true, value: undefined };

/** Decides what happens to a line; `undefined` for nothing. */
export type LineInspector = (line: FaultLine) => LineDamage | undefined;

/** The body of a watch on its way to the client, which can be damaged. */
export class FaultyStream implements AsyncIterableIterator<Uint8Array> {
  private outcome: 'cut' | 'end' | 'stall' | undefined;
  private last: Uint8Array | undefined;
  private damageOfNext: 'cut' | 'stall' | undefined;
  private interrupt: ((result: Result | Error) => void) | undefined;

  /**
   * @param inspector gives nothing while no line can meet a fault, so that they are passed as they come
   * @param release called once, when nobody reads any more or nothing more comes
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

  /** Breaks the connection, or lets it fall silent, in the middle of the next line. */
  breakNextLine(outcome: 'cut' | 'stall'): void {
    this.damageOfNext = outcome;
  }

  async next(): Promise<Result> {
    for (;;) {
      if (this.outcome) {
        const result = this.last || this.outcome !== 'stall' ? this.conclude() : await this.untilInterrupted();
        if (result instanceof Error) throw result;
        return result;
      }
      const result = await this.untilInterrupted(this.source.next());
      if (result instanceof Error) throw result;
      if (result.done) {
        this.leave();
        return result;
      }
      const inspect = this.damageOfNext ? () => this.damageOfNext : this.inspector();
      const value = inspect ? this.damage(result.value, inspect) : result.value;
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

  /** Waits for more, unless it does not matter any longer. */
  private untilInterrupted(more?: Promise<Result>): Promise<Result | Error> {
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

  /** Passes the lines of a chunk, except for those that meet a fault. */
  private damage(chunk: Uint8Array, inspect: LineInspector): Uint8Array {
    const passed: Uint8Array[] = [];
    for (const line of splitLines(chunk)) {
      switch (inspect(describeLine(line))) {
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

/** Chunks of watches end with lines. */
function splitLines(chunk: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < chunk.length;) {
    const end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length;
    lines.push(chunk.subarray(start, end));
    start = end;
  }
  return lines;
}

function describeLine(line: Uint8Array): FaultLine {
  const { type, object } = JSON.parse(Buffer.from(line).toString('utf8')) as {
    type: string;
    object: { metadata?: { name?: string; namespace?: string } };
  };
  const { name, namespace } = object.metadata ?? {};
  return { type, ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
}

/** Says that there is no answer: the connection broke, or the server is down. Over HTTPS, the socket is closed instead. */
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
