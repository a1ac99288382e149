import type { Client, Dispatcher } from 'undici';

/**
 * The connections that a pool of undici has dropped.
 *
 * A pool drops a connection whose first attempt has failed. But the connection continues with the requests that wait in the pool, and may
 * succeed: closing the pool would not close it.
 */
export class DetachedClients {
  private readonly clients = new Set<Client>();

  /** @param pool the pool, which is observed from now on */
  constructor(private readonly pool: Dispatcher) {
    pool.on('connectionError', (_origin, targets) => this.add(targets[targets.length - 1] as Client));
  }

  /** Closes the connections after their requests. */
  async close(): Promise<void> {
    await Promise.all(this.take().map((client) => client.close()));
  }

  /** Destroys the connections with their requests. */
  async destroy(): Promise<void> {
    await Promise.all(this.take().map((client) => client.destroy()));
  }

  private add(client: Client): void {
    // Most of the dropped connections have failed for good.
    for (const other of this.clients) if (!other.stats.connected && other.stats.size === 0) this.clients.delete(other);
    if ((client as Dispatcher) !== this.pool) this.clients.add(client);
  }

  private take(): Client[] {
    const taken = [...this.clients].filter((client) => !client.destroyed && !client.closed);
    this.clients.clear();
    return taken;
  }
}
