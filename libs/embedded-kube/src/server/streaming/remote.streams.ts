import { PassThrough, type Readable, Writable } from 'node:stream';
import type { SpdyConnection, SpdyStream } from './spdy.connection.js';
import type { WebSocketConnection } from './web-socket.connection.js';

/** The streams between a client and a process, over SPDY or WebSockets. A stream that the client does not want is missing. */
export interface RemoteStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  /** The stream for the `Status` with which the process has ended. */
  readonly error: Writable;
  /** The sizes of the client's terminal, as JSON. */
  readonly resize?: Readable;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Ends the connection. */
  close(): void;
}

/** The streams that a client wants. */
export interface StreamChoice {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Takes the streams out of the messages of a WebSocket, whose first bytes name them (`v5.channel.k8s.io` and `v4.channel.k8s.io`). */
export function webSocketStreams(socket: WebSocketConnection, choice: StreamChoice): RemoteStreams {
  const gone = new AbortController();
  const stdin = new PassThrough();
  const resize = new PassThrough();
  const inputs: Readonly<Record<number, PassThrough>> = { [CHANNELS.stdin]: stdin, [CHANNELS.resize]: resize };
  socket.onMessage = (message) => {
    const [channel, closed] = message;
    if (channel === CHANNELS.close && closed !== undefined) inputs[closed]?.end();
    else if (channel !== undefined && inputs[channel]?.writable) inputs[channel].write(message.subarray(1));
  };
  socket.onClose = () => {
    stdin.end();
    resize.end();
    gone.abort();
  };
  const output = (channel: number): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (chunk.length > 0) socket.send(Buffer.from([channel]), chunk);
        done();
      },
    });
  // The client learns by an empty message that it is connected.
  const first = choice.stdout ? CHANNELS.stdout : choice.stderr ? CHANNELS.stderr : CHANNELS.error;
  socket.send(Buffer.from([first]));
  return {
    ...(choice.stdin && { stdin }),
    ...(choice.stdout && { stdout: output(CHANNELS.stdout) }),
    ...(choice.stderr && { stderr: output(CHANNELS.stderr) }),
    ...(choice.tty && { resize }),
    error: output(CHANNELS.error),
    signal: gone.signal,
    close: () => socket.close(),
  };
}

/** Waits for the streams that a client begins over SPDY, each of which names itself in its headers. */
export async function spdyStreams(connection: SpdyConnection, choice: StreamChoice): Promise<RemoteStreams> {
  const gone = new AbortController();
  const wanted = ['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((name) => choice[name])];
  if (choice.tty) wanted.push('resize');
  const streams = new Map<string, SpdyStream>();
  await new Promise<void>((resolve) => {
    connection.onStream = (stream) => {
      streams.set(stream.headers.get('streamtype') ?? '', stream);
      if (wanted.every((name) => streams.has(name))) resolve();
    };
    connection.onClose = () => {
      gone.abort();
      resolve();
    };
  });
  const { stdin, stdout, stderr, error, resize } = Object.fromEntries(streams);
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ...(resize && { resize }),
    // The client can go before it has begun all.
    error: error ?? new PassThrough().resume(),
    signal: gone.signal,
    close: () => connection.close(),
  };
}
