import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, sleep } from 'kube-common';

/** The seconds for which a server that closes waits for the first request on a new connection. */
const FIRST_REQUEST_TIMEOUT = 1;

/** The state of a connection. */
type Stage = 'new' | 'busy' | 'idle';

/** The tracker of the connections of a server, so that the server can close without cutting off requests in progress. */
export class ConnectionTracker {
  private readonly raw = new Set<Socket>();
  private readonly stages = new Map<Socket, Stage>();
  private readonly responses = new Set<ServerResponse>();
  private draining = false;
  private closing = false;

  constructor(
    private readonly server: Server,
    isSecure: boolean,
    private readonly clock: Clock,
  ) {
    server.on('connection', (socket: Socket) => {
      this.raw.add(socket);
      socket.once('close', () => this.raw.delete(socket));
    });
    server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.stages.set(socket, 'new');
      socket.once('close', () => this.stages.delete(socket));
    });
  }

  /** Marks the connection of a request as in use until the response is sent. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.stages.set(socket, 'busy');
    this.responses.add(response);
    response.once('close', () => {
      this.responses.delete(response);
      if (this.stages.has(socket)) this.stages.set(socket, 'idle');
      if (this.closing) socket.destroySoon();
    });
    if (this.draining) response.shouldKeepAlive = false;
  }

  /**
   * Has each connection closed after its next answer, which says so, so that clients send their next requests elsewhere.
   *
   * An idle connection is not closed at once: its client may notice too late, and its request would fail.
   */
  drain(): void {
    this.draining = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  /**
   * Closes the server: idle connections at once, the others after their answers, or when the time is over.
   *
   * @param timeout in seconds.
   */
  async close(timeout: number): Promise<void> {
    this.closing = true;
    this.drain();
    const closed = new AbortController();
    this.server.close(() => closed.abort());
    // Clients retry a request if a connection that they have used before is closed, but not on a new connection.
    this.endAll('idle');
    if (await sleep(this.clock, Math.min(timeout, FIRST_REQUEST_TIMEOUT), closed.signal)) this.endAll('new');
    await sleep(this.clock, Math.max(0, timeout - FIRST_REQUEST_TIMEOUT), closed.signal);
    for (const socket of [...this.stages.keys(), ...this.raw]) socket.destroy();
  }

  private endAll(stage: Stage): void {
    for (const [socket, each] of this.stages) if (each === stage) socket.destroySoon();
  }
}
