import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';

/** The text that is joined with the client's key for the answer to a handshake (RFC 6455, 1.3). */
const HANDSHAKE_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** The largest message, in bytes; clients send far smaller ones. */
const MESSAGE_LIMIT = 16 * 1024 * 1024;
const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const NORMAL_CLOSURE = 1000;
const PROTOCOL_ERROR = 1002;
const TOO_LARGE = 1009;

/** Returns the value of the header `sec-websocket-accept`. */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}${HANDSHAKE_SUFFIX}`).digest('base64');
}

/** The server's end of a WebSocket, after the handshake: receives and sends messages of bytes. */
export class WebSocketConnection {
  /** Called with each message; a text comes as its bytes. */
  onMessage: (message: Buffer) => void = () => undefined;
  /** Called once, when the connection has ended. */
  onClose: () => void = () => undefined;
  private received: Buffer = Buffer.alloc(0);
  private fragments: Buffer[] = [];
  private isClosed = false;

  constructor(private readonly carrier: Duplex) {
    carrier.on('close', () => this.end());
    carrier.on('error', () => this.end());
  }

  /** Starts to receive messages. @param head the bytes that came together with the handshake */
  start(head: Uint8Array): void {
    this.take(Buffer.from(head));
    this.carrier.on('data', (chunk: Buffer) => this.take(chunk));
    this.carrier.on('end', () => this.carrier.end());
  }

  /** Sends a message of bytes. @returns false if the client is slower than what it is sent */
  send(...parts: readonly Uint8Array[]): boolean {
    return this.write(OPCODES.binary, Buffer.concat(parts));
  }

  /** Sends a message of text. @returns false if the client is slower than what it is sent */
  sendText(text: Uint8Array): boolean {
    return this.write(OPCODES.text, text);
  }

  /** Sends a close frame, and ends the connection when all has been sent. */
  close(code = NORMAL_CLOSURE): void {
    if (this.isClosed) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.write(OPCODES.close, payload);
    this.isClosed = true;
    this.carrier.end();
    this.onClose();
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onClose();
  }

  private write(opcode: number, payload: Uint8Array): boolean {
    if (this.isClosed || !this.carrier.writable) return true;
    const { length } = payload;
    const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    header[0] = 0x80 | opcode;
    if (length < 126) header[1] = length;
    else if (length < 65_536) header.writeUInt16BE(length, ((header[1] = 126), 2));
    else header.writeBigUInt64BE(BigInt(length), ((header[1] = 127), 2));
    this.carrier.write(header);
    return this.carrier.write(payload);
  }

  private take(chunk: Buffer): void {
    if (chunk.length === 0 || this.isClosed) return;
    this.received = this.received.length > 0 ? Buffer.concat([this.received, chunk]) : chunk;
    for (let frame = this.readFrame(); frame && !this.isClosed; frame = this.readFrame()) this.process(frame);
  }

  private readFrame(): { final: boolean; opcode: number; payload: Buffer } | undefined {
    const { received } = this;
    if (received.length < 2) return undefined;
    if ((received[1] & 0x80) === 0) {
      this.close(PROTOCOL_ERROR);
      return undefined;
    }
    const short = received[1] & 0x7f;
    const start = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (received.length < start + 4) return undefined;
    const length =
      short === 127 ? Number(received.readBigUInt64BE(2)) : short === 126 ? received.readUInt16BE(2) : short;
    if (length > MESSAGE_LIMIT) this.close(TOO_LARGE);
    if (this.isClosed || received.length < start + 4 + length) return undefined;
    const mask = received.subarray(start, start + 4);
    const payload = Buffer.from(received.subarray(start + 4, start + 4 + length));
    for (let index = 0; index < length; index++) payload[index] ^= mask[index & 3];
    this.received = received.subarray(start + 4 + length);
    return { final: (received[0] & 0x80) !== 0, opcode: received[0] & 0x0f, payload };
  }

  private process({ final, opcode, payload }: { final: boolean; opcode: number; payload: Buffer }): void {
    if (opcode === OPCODES.ping) this.write(OPCODES.pong, payload);
    else if (opcode === OPCODES.close) this.close(payload.length >= 2 ? payload.readUInt16BE() : NORMAL_CLOSURE);
    else if (opcode <= OPCODES.binary) {
      this.fragments.push(payload);
      const size = this.fragments.reduce((sum, each) => sum + each.length, 0);
      if (size > MESSAGE_LIMIT) this.close(TOO_LARGE);
      else if (final) this.onMessage(Buffer.concat(this.fragments.splice(0)));
    }
  }
}

/** A stream of bytes over a WebSocket, for protocols that are carried in it: the borders of its messages mean nothing. */
export class WebSocketTunnel extends Duplex {
  constructor(private readonly socket: WebSocketConnection) {
    super();
    socket.onMessage = (message) => void this.push(message);
    socket.onClose = () => {
      this.push(null);
      this.destroy();
    };
  }

  override _read(): void {
    // Messages come on their own.
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.socket.send(chunk);
    callback();
  }

  override _final(callback: () => void): void {
    this.socket.close();
    callback();
  }
}
