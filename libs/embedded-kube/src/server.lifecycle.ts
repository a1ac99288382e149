import { detach } from 'kube-common';
import { publishServer } from './controllers/server.publication.js';
import { createSystemObjects } from './controllers/system.objects.js';
import { KubeFaults } from './faults/kube.faults.js';
import type { ServerParts } from './server.assembly.js';

const IN_PROCESS_URL = 'http://embedded-kube.invalid';

/** The start and the stop of a server's parts, in the order in which they need each other. */
export class ServerLifecycle {
  private port: number | undefined;

  constructor(private readonly parts: ServerParts) {}

  /**
   * Starts the server; what has begun is stopped again if that fails.
   *
   * @returns its address
   * @throws Error if the port is taken
   */
  async start(): Promise<string> {
    const { definitions, systemObjects, access, controllers, client, https, host, options, history } = this.parts;
    try {
      definitions.start();
      await createSystemObjects(systemObjects);
      await access.start();
      await controllers.start();
      await this.listen(options.port || 0);
      const published = this.port === undefined ? undefined : { host, port: this.port };
      // A server without a port keeps the published addresses in the snapshot, which are those of another server.
      if (published || !options.snapshot) await publishServer(client, published).catch((error) => this.warn(error));
      if (options.history) history.start(options.history === true ? {} : options.history);
      return https ? `https://${host.includes(':') ? `[${host}]` : host}:${this.port}` : IN_PROCESS_URL;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Returns the faults that are injected into the server that runs. */
  faults(): KubeFaults {
    const { faulty, members, store, listener } = this.parts;
    return new KubeFaults(faulty, {
      createMember: (version) => members.add(version),
      expireHistory: () => store.expireHistory(),
      disconnect: () => listener.close(),
      reconnect: () => this.listen(this.port),
    });
  }

  /** Stops the server, and closes its files. */
  async stop(): Promise<void> {
    await this.end();
    this.parts.store.close();
  }

  /** Opens the port, unless only this process is served. */
  private async listen(port: number | undefined): Promise<void> {
    const { listener, https, host } = this.parts;
    if (!https || port === undefined) return;
    this.port = await detach(() => listener.listen(host, port, https));
  }

  private async end(): Promise<void> {
    const { controllers, definitions, watches, members, listener, transport } = this.parts;
    await controllers.stop();
    definitions.stop();
    watches.end();
    members.end();
    await listener.close();
    await transport.close();
  }

  private warn(error: unknown): void {
    this.parts.logger.warn(`Cannot publish the service default/kubernetes: ${String(error)}`);
  }
}
