import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy on the loopback interface that makes tunnels, and takes note of them. */
export class ConnectProxy {
  /** The tunnels that were asked for, as `host:port`. */
  readonly tunnels: string[] = [];
  /** The credentials that were shown to the proxy. */
  readonly authorizations: (string | undefined)[] = [];
  private readonly sockets = new Set<Duplex>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ConnectProxy> {
    const server = createServer((_, response) => response.writeHead(400).end());
    const proxy = new ConnectProxy(server);
    server.on('connect', (request, client) => proxy.dig(request, client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks all tunnels. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private dig({ url = '', headers }: IncomingMessage, client: Duplex): void {
    this.tunnels.push(url);
    this.authorizations.push(headers['proxy-authorization']);
    const port = Number(url.slice(url.lastIndexOf(':') + 1));
    // Names lead to this machine, whatever they are.
    const target: Socket = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [target, client]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        target.destroy();
        client.destroy();
      });
    }
  }
}
