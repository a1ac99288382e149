import type { Client, Dispatcher } from 'undici';

/**
 * The connections that a pool of undici has lost sight of.
 *
 * A pool drops a connection that could not be made the first time, yet the connection goes on with what waits in the pool,
 * and succeeds in the end: then nobody would close it with the pool.
 */
export class DetachedClients {
  private readonly clients = new Set<Client>();

  /** @param pool is watched from now on. */
  constructor(private readonly pool: Dispatcher) {
    pool.on('connectionError', (_origin, targets) => this.add(targets[targets.length - 1] as Client));
  }

  /** Lets them finish what is under way. */
  async close(): Promise<void> {
    await Promise.all(this.take().map((client) => client.close()));
  }

  /** Ends them with all that is under way. */
  async destroy(): Promise<void> {
    await Promise.all(this.take().map((client) => client.destroy()));
  }

  private add(client: Client): void {
    // Most of them have come to nothing.
    for (const other of this.clients) if (!other.stats.connected && other.stats.size === 0) this.clients.delete(other);
    if ((client as Dispatcher) !== this.pool) this.clients.add(client);
  }

  private take(): Client[] {
    const taken = [...this.clients].filter((client) => !client.destroyed && !client.closed);
    this.clients.clear();
    return taken;
  }
}
