import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConsoleServer, type ConsoleServerOptions } from 'nestjs-kopf-console';
import { CommandError } from '../exit.codes.js';
import { ConsoleGate } from './console.gate.js';

/** The console on this machine, for everyone with its address. It listens on the loopback interface only. */
export class LocalConsole {
  private readonly server: Server;
  private readonly console: ConsoleServer;
  private gate?: ConsoleGate;

  /** @param token a random text that cannot be guessed; it is a part of the address. */
  constructor(
    private readonly token: string,
    options: ConsoleServerOptions,
  ) {
    this.console = new ConsoleServer(options);
    this.server = createServer((request, response) => {
      this.gate?.handle(request, response, (...exchange) => this.answer(...exchange));
    });
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any free one.
   * @returns the address to open, with the token.
   * @throws CommandError if the port is in use.
   */
  async start(port: number): Promise<string> {
    this.server.listen(port, '127.0.0.1');
    try {
      await once(this.server, 'listening');
    } catch (error) {
      throw new CommandError(`The console cannot listen on the port ${port}.`, { cause: error });
    }
    this.gate = new ConsoleGate((this.server.address() as AddressInfo).port, this.token);
    return this.gate.address;
  }

  async stop(): Promise<void> {
    this.console.close();
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/' } = request;
    const [path, query] = url.split('?', 2);
    const asked = { method, path, query: new URLSearchParams(query), raw: request, request };
    void this.console.handle(asked, response);
  }
}
