import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Balances connections on the loopback address, as a Kubernetes service does: each new one goes to the next target. */
export class TcpBalancer {
  private readonly targets: number[] = [];
  private readonly sockets = new Set<Socket>();
  private count = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(createServer());
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Leads new connections to the port, too. */
  add(port: number): void {
    this.targets.push(port);
  }

  /** Leads no more connections to the port; those that are open stay. */
  remove(port: number): void {
    this.targets.splice(this.targets.indexOf(port), 1);
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const target = connect(this.targets[this.count++ % this.targets.length], '127.0.0.1');
    for (const [one, other] of [
      [client, target],
      [target, client],
    ]) {
      this.sockets.add(one);
      one.setNoDelay();
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroySoon();
      });
    }
  }
}
