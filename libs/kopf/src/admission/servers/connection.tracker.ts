import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, sleep } from 'kube-common';

/** Waits so many seconds for the first requests on new connections before the server closes. */
const FIRST_REQUEST_TIMEOUT = 1;

/** Names the state of a connection. */
type Stage = 'new' | 'busy' | 'idle';

/** Knows the connections of a server, so that the server can close without cutting off anything that is in progress. */
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
   * Lets clients go elsewhere with their next requests: each connection is closed after its next answer, which says so.
   *
   * Of an idle one that is simply closed, a client can take notice too late, and its request fails.
   */
  drain(): void {
    this.draining = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  /**
   * Closes the server: idle connections at once, others after their answers, or when the time is over.
   *
   * @param timeout in seconds.
   */
  async close(timeout: number): Promise<void> {
    this.closing = true;
    this.drain();
    const closed = new AbortController();
    this.server.close(() => closed.abort());
    // Clients send requests again for which a connection was closed that they had used before, but not other ones.
    this.endAll('idle');
    if (await sleep(this.clock, Math.min(timeout, FIRST_REQUEST_TIMEOUT), closed.signal)) this.endAll('new');
    await sleep(this.clock, Math.max(0, timeout - FIRST_REQUEST_TIMEOUT), closed.signal);
    for (const socket of [...this.stages.keys(), ...this.raw]) socket.destroy();
  }

  private endAll(stage: Stage): void {
    for (const [socket, each] of this.stages) if (each === stage) socket.destroySoon();
  }
}
