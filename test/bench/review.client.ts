import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

const HEAD_END = Buffer.from('\r\n\r\n');
const ALLOWED = /"allowed": ?true/;

/**
 * Sends reviews over one connection, one after another. It understands as much of HTTP as it must,
 * so that the client takes as little of the machine as possible from what is measured.
 */
export class ReviewClient {
  private received: Buffer = Buffer.alloc(0);
  private wake: () => void = () => undefined;

  private constructor(
    private readonly socket: TLSSocket,
    private readonly request: Buffer,
  ) {
    socket.on('data', (data) => {
      this.received = this.received.length > 0 ? Buffer.concat([this.received, data]) : data;
      this.wake();
    });
    socket.on('error', () => this.wake());
    socket.on('close', () => this.wake());
  }

  static async open(port: number, ca: string, path: string, review: string): Promise<ReviewClient> {
    const socket = connect({ port, host: '127.0.0.1', ca });
    socket.setNoDelay();
    const length = Buffer.byteLength(review);
    const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    await once(socket, 'secureConnect');
    return new ReviewClient(socket, Buffer.from(head + review));
  }

  /** Waits for one answer; throws if it is not that the request is allowed. */
  async send(): Promise<void> {
    this.socket.write(this.request);
    for (;;) {
      const answer = this.take();
      if (answer !== undefined && ALLOWED.test(answer)) return;
      if (answer !== undefined) throw new Error(`Not allowed: ${answer}`);
      if (this.socket.destroyed) throw new Error('The connection was closed.');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  close(): void {
    this.socket.destroy();
  }

  /** The next answer, if it has come completely. */
  private take(): string | undefined {
    const end = this.received.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const head = this.received.toString('latin1', 0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
    if (!head.startsWith('HTTP/1.1 200') || Number.isNaN(length)) throw new Error(`An unexpected answer: ${head}`);
    const next = end + HEAD_END.length + length;
    if (this.received.length < next) return undefined;
    const body = this.received.toString('utf8', end + HEAD_END.length, next);
    this.received = this.received.subarray(next);
    return body;
  }
}
