import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Two ends of a connection: the client's, and the one to the server. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
  isCutting: boolean;
}

/** A piece of network between a client and a server, on the loopback address, which can be broken. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private server?: Server;
  private port = 0;

  private constructor(private readonly target: URL) {}

  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    await proxy.comeBack();
    return proxy;
  }

  get url(): string {
    return `${this.target.protocol}//127.0.0.1:${this.port}`;
  }

  /** Counts the open connections. */
  get connections(): number {
    return this.links.size;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const { client, server } of this.links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Breaks each connection in the middle of what the server sends next. */
  cutMidway(): void {
    for (const link of this.links) link.isCutting = true;
  }

  /** Lets all connections fall silent: nothing more comes through, and nobody is told. */
  stall(): void {
    for (const link of this.links) link.isSilent = true;
  }

  /** Breaks all connections, and refuses new ones. */
  async goDown(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.cut();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  async comeBack(): Promise<void> {
    if (this.server) return;
    const server = createServer((client) => this.join(client));
    this.server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const link: Link = { client, server, isSilent: false, isCutting: false };
    this.links.add(link);
    client.on('data', (data) => link.isSilent || server.write(data));
    server.on('data', (data) => this.answer(link, data));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.links.delete(link);
        // Of a connection that has fallen silent, not even the end is told.
        if (!link.isSilent || one === client) other.destroy();
      });
    }
  }

  private answer(link: Link, data: Buffer): void {
    if (link.isSilent) return;
    if (!link.isCutting) {
      link.client.write(data);
      return;
    }
    link.client.write(data.subarray(0, data.length >> 1), () => link.client.destroySoon());
    link.server.destroy();
  }
}
