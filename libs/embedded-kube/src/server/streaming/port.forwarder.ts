import { connect } from 'node:net';
import { Duplex, finished, PassThrough, Writable } from 'node:stream';
import type { PodPort, SimulatedProcesses } from '../../controllers/nodes/simulated.processes.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { SpdyConnection, SpdyStream } from './spdy.connection.js';
import type { WebSocketConnection } from './web-socket.connection.js';

/** The forwarding of connections to the listeners on the ports of a pod. */
export class PortForwarder {
  constructor(
    private readonly pod: KubeObject,
    private readonly processes: SimulatedProcesses,
  ) {}

  /** Takes pairs of streams, of which each pair is a connection: one for its bytes, one for an error (`portforward.k8s.io`). */
  forwardSpdy(connection: SpdyConnection): void {
    const pairs = new Map<string, Record<string, SpdyStream>>();
    connection.onStream = (stream) => {
      const { headers } = stream;
      const id = headers.get('requestid') ?? headers.get('port') ?? '';
      const pair = { ...pairs.get(id), [headers.get('streamtype') ?? '']: stream };
      pairs.set(id, pair);
      const { data, error } = pair;
      if (!data || !error) return;
      pairs.delete(id);
      this.connect(Number(headers.get('port')), data, error);
    };
  }

  /** Forwards the ports that the client has named, each over two channels of a WebSocket: bytes, and an error (`v4.channel.k8s.io`). */
  forwardWebSocket(socket: WebSocketConnection, ports: readonly number[]): void {
    const inputs = ports.map(() => new PassThrough());
    socket.onMessage = (message) => {
      const input = inputs[(message[0] ?? 0) >> 1];
      if (input?.writable) input.write(message.subarray(1));
    };
    socket.onClose = () => inputs.forEach((each) => each.end());
    ports.forEach((port, index) => {
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      const output = (channel: number): Writable => {
        socket.send(Buffer.from([channel]), number);
        return new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            socket.send(Buffer.from([channel]), chunk);
            done();
          },
          final: (done) => {
            if (channel % 2 === 0) socket.close();
            done();
          },
        });
      };
      const data = Duplex.from({ readable: inputs[index], writable: output(2 * index) });
      this.connect(port, data, output(2 * index + 1));
    });
  }

  private connect(port: number, data: Duplex, error: Writable): void {
    const target = this.processes.portOf(this.pod, port);
    const done = (): void => void error.end();
    data.on('error', done);
    if (typeof target === 'function') {
      finished(data, done);
      target(data);
    } else if (target !== undefined) {
      this.pass(target, port, data, error);
    } else {
      this.refuse(port, data, error, 'connect: connection refused');
    }
  }

  private pass(target: PodPort & number, port: number, data: Duplex, error: Writable): void {
    const socket = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', (failure) => this.refuse(port, data, error, failure.message));
    socket.on('connect', () => {
      data.pipe(socket);
      socket.pipe(data);
      finished(socket, () => void error.end());
    });
    data.on('close', () => socket.destroy());
  }

  private refuse(port: number, data: Duplex, error: Writable, reason: string): void {
    const name = `${this.pod.metadata.namespace}/${this.pod.metadata.name}`;
    if (error.writable)
      error.end(`error forwarding port ${port} to pod ${name}: dial tcp 127.0.0.1:${port}: ${reason}`);
    data.resume();
    data.end();
  }
}
