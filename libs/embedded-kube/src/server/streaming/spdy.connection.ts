import { Duplex } from 'node:stream';
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy.headers.js';

const VERSION = 0x8003;
const TYPES = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7, headers: 8 } as const;
const FIN = 1;
const CANCEL = 5;
/** The largest frame of data that is sent, in bytes. */
const LONGEST_DATA = 32 * 1024;

/** A stream that the client has begun within a connection. */
export class SpdyStream extends Duplex {
  constructor(
    readonly id: number,
    /** The headers, with names in lower case. */
    readonly headers: ReadonlyMap<string, string>,
    private readonly send: (flags: number, data: Buffer) => void,
  ) {
    super({ allowHalfOpen: true });
    // Errors of a stream without a listener have no effect.
    this.on('error', () => undefined);
  }

  override _read(): void {
    // Data come on their own.
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    for (let start = 0; start < chunk.length; start += LONGEST_DATA) {
      this.send(0, chunk.subarray(start, start + LONGEST_DATA));
    }
    callback();
  }

  override _final(callback: () => void): void {
    this.send(FIN, Buffer.alloc(0));
    callback();
  }
}

/**
 * The server's end of SPDY/3.1, as far as Kubernetes' clients speak it: they open streams, which carry bytes in both directions, each of
 * which is closed separately; there is no flow control.
 */
export class SpdyConnection {
  /** Called with each stream that the client opens. */
  onStream: (stream: SpdyStream) => void = () => undefined;
  /** Called once, when the connection has ended. */
  onClose: () => void = () => undefined;
  private readonly streams = new Map<number, SpdyStream>();
  private readonly reader = new SpdyHeaderReader();
  private readonly writer = new SpdyHeaderWriter();
  private received: Buffer = Buffer.alloc(0);
  private isClosed = false;

  constructor(private readonly carrier: Duplex) {
    carrier.on('close', () => this.end());
    carrier.on('end', () => this.end());
    carrier.on('error', () => this.end());
  }

  /** Starts to accept streams. @param head the bytes that came together with the request */
  start(head: Uint8Array): void {
    this.take(Buffer.from(head));
    this.carrier.on('data', (chunk: Buffer) => this.take(chunk));
  }

  /** Ends the connection when all has been sent. */
  close(): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(Math.max(0, ...this.streams.keys()));
    this.control(TYPES.goAway, payload);
    this.carrier.end();
    this.end();
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const stream of this.streams.values()) stream.push(null);
    this.onClose();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length > 0 ? Buffer.concat([this.received, chunk]) : chunk;
    while (this.received.length >= 8 && !this.isClosed) {
      const length = this.received.readUIntBE(5, 3);
      if (this.received.length < 8 + length) return;
      const frame = this.received.subarray(0, 8 + length);
      this.received = this.received.subarray(8 + length);
      try {
        this.process(frame);
      } catch {
        // What cannot be read leaves all that follows unreadable.
        this.carrier.destroy();
        this.end();
      }
    }
  }

  private process(frame: Buffer): void {
    const word = frame.readUInt16BE(0);
    const payload = frame.subarray(8);
    const hasEnded = (frame[4] & FIN) !== 0;
    if ((word & 0x8000) === 0) {
      const stream = this.streams.get(frame.readUInt32BE(0));
      if (payload.length > 0) stream?.push(Buffer.from(payload));
      if (hasEnded) stream?.push(null);
      return;
    }
    switch (frame.readUInt16BE(2)) {
      case TYPES.synStream:
        return this.open(payload, hasEnded);
      case TYPES.rstStream: {
        const id = payload.readUInt32BE(0);
        this.streams.get(id)?.push(null);
        this.streams.get(id)?.destroy();
        this.streams.delete(id);
        return;
      }
      case TYPES.headers:
        // They have no meaning, but those that follow are compressed with them.
        this.reader.read(payload.subarray(4));
        return;
      case TYPES.ping:
        // Those of the client have odd numbers; others are its answers.
        if (payload.readUInt32BE(0) % 2 === 1) this.control(TYPES.ping, payload);
        return;
      default:
    }
  }

  private open(payload: Buffer, hasEnded: boolean): void {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const headers = this.reader.read(payload.subarray(10));
    const stream = new SpdyStream(id, headers, (flags, data) => this.data(id, flags, data));
    stream.on('close', () => this.streams.delete(id));
    this.streams.set(id, stream);
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    this.control(TYPES.synReply, Buffer.concat([reply, this.writer.none()]));
    if (hasEnded) stream.push(null);
    this.onStream(stream);
  }

  /** Resets a stream that the server does not want. */
  reset(stream: SpdyStream): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(stream.id);
    payload.writeUInt32BE(CANCEL, 4);
    this.control(TYPES.rstStream, payload);
    this.streams.delete(stream.id);
    stream.destroy();
  }

  private data(id: number, flags: number, data: Buffer): void {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(id);
    header[4] = flags;
    header.writeUIntBE(data.length, 5, 3);
    this.write(header, data);
  }

  private control(type: number, payload: Buffer): void {
    const header = Buffer.alloc(8);
    header.writeUInt16BE(VERSION);
    header.writeUInt16BE(type, 2);
    header.writeUIntBE(payload.length, 5, 3);
    this.write(header, payload);
  }

  private write(...parts: readonly Buffer[]): void {
    if (this.carrier.writable) this.carrier.write(Buffer.concat(parts));
  }
}
