// recording: what clients ask a real cluster, and what it answers: recorded without secrets, and replayed without the cluster.
// Stands beside the embedded server: it passes requests on, or has their answers already, and decides nothing itself.
// May import: common, errors, access, server.

import { isMapping } from '../common/json.values.js';

/** A request with its answer. */
export interface RecordedExchange {
  readonly type: 'exchange';
  readonly method: string;
  readonly path: string;
  /** The body that was sent; empty if there was none, or none that can be recorded without secrets. */
  readonly body: string;
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The beginning of a watch, or of another answer that is a stream. */
export interface RecordedStream {
  readonly type: 'stream';
  /** The number by which lines refer to the stream. */
  readonly id: number;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A line of a stream. */
export interface RecordedLine {
  readonly type: 'line';
  readonly id: number;
  readonly text: string;
}

/** The end of a stream. */
export interface RecordedEnd {
  readonly type: 'end';
  readonly id: number;
}

/** One thing that was recorded. Exchanges stand where their request was sent, lines where they arrived. */
export type RecordedEntry = RecordedExchange | RecordedStream | RecordedLine | RecordedEnd;

const HEADER = { recording: 'embedded-kube', format: 1 };
const TYPES: ReadonlySet<unknown> = new Set(['exchange', 'stream', 'line', 'end']);

/** The requests that clients have sent to a cluster, with its answers. */
export class ClusterRecording {
  constructor(readonly entries: readonly RecordedEntry[]) {}

  /** Reads a recording. @throws TypeError if the text is none */
  static parse(text: string): ClusterRecording {
    const [first = '', ...lines] = text.split('\n').filter(Boolean);
    if (first !== JSON.stringify(HEADER))
      throw new TypeError('The text is no recording of this version of embedded-kube');
    return new ClusterRecording(lines.map(readEntry));
  }

  /** The recording as a text for a file: JSON, one entry a line. */
  get text(): string {
    return [HEADER, ...this.entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

function readEntry(line: string, index: number): RecordedEntry {
  try {
    const entry: unknown = JSON.parse(line);
    if (isMapping(entry) && TYPES.has(entry['type'])) return entry as unknown as RecordedEntry;
  } catch {
    // Reported below.
  }
  throw new TypeError(`Line ${index + 2} of the recording cannot be read`);
}
