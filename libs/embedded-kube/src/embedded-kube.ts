import { kubeconfigText, KubeconfigFile } from './access/kubeconfig.js';
import { detach, type KubeTransport, SystemClock, SystemRandom } from 'kube-common';
import { StderrLogger } from './common/logger.js';
import type { ControllerClient } from './controllers/controller.js';
import type { SimulatedPods } from './controllers/nodes/simulated.pods.js';
import type { EmbeddedKubeOptions, KubeSnapshot } from './embedded-kube.options.js';
import type { KubeFaults } from './faults/kube.faults.js';
import type { KubeHistory } from './history/kube.history.js';
import { ManifestClient } from './manifests/manifest.client.js';
import { readManifests, type Manifest } from './manifests/manifest.files.js';
import { assembleServer, HISTORY_SIZE, type ServerEnvironment, type ServerParts } from './server.assembly.js';
import { ServerLifecycle } from './server.lifecycle.js';
import { contentOf, ServerState } from './server.state.js';
import { InProcessTransport } from './server/in-process.transport.js';
import { FileJournal } from './storage/file.journal.js';
import { NullJournal } from './storage/journal.js';
import { ObjectStore } from './storage/object.store.js';

/**
 * A Kubernetes API server inside this process: for tests, demos and simulations. Real `kubectl` works against it.
 *
 * @example
 * const kube = await EmbeddedKube.start({ pods: true });
 * kube.writeKubeconfig('kubeconfig.yaml');      // kubectl --kubeconfig kubeconfig.yaml get namespaces
 * const response = await kube.transport().request({ method: 'GET', path: '/api/v1/pods', headers: {} });
 * await kube.stop();
 */
export class EmbeddedKube {
  /** The administrator's bearer token. */
  readonly token: string;
  /** The certificate of the server's authority, in PEM; absent if only the same process is served. */
  readonly caCertificate: string | undefined;
  /** A client of objects without HTTP. */
  readonly client: ControllerClient;
  /** The control of simulated pods: when they start and end, and what they print. */
  readonly pods: SimulatedPods;
  /** The faults that tests can inject. */
  readonly faults: KubeFaults;
  /** The record of requests and changes, for assertions. */
  readonly history: KubeHistory;
  private readonly state: ServerState;
  private readonly stopping = new AbortController();
  private readonly kubeconfigs: KubeconfigFile[] = [];

  private constructor(
    /** The address: `https://127.0.0.1:6443`; not reachable if only the same process is served. */
    readonly url: string,
    private readonly parts: ServerParts,
    private readonly lifecycle: ServerLifecycle,
  ) {
    this.token = parts.token;
    this.caCertificate = parts.https?.caCertificate;
    this.client = parts.client;
    this.pods = parts.pods;
    this.faults = lifecycle.faults();
    this.history = parts.history;
    this.state = new ServerState(parts);
  }

  /**
   * Starts a server.
   *
   * @throws Error if the port is taken, the data folder is in use or damaged, or a manifest cannot be read or applied
   */
  static start(options: EmbeddedKubeOptions = {}): Promise<EmbeddedKube> {
    return detach(() => EmbeddedKube.assemble(options));
  }

  private static async assemble(options: EmbeddedKubeOptions): Promise<EmbeddedKube> {
    const environment: ServerEnvironment = {
      clock: options.clock ?? new SystemClock(),
      random: options.random ?? new SystemRandom(),
      logger: options.logger ?? new StderrLogger(),
    };
    const paths = options.manifests ?? [];
    // What cannot be read is found before anything starts.
    const manifests = readManifests(typeof paths === 'string' ? [paths] : paths);
    const journal = options.data === undefined ? new NullJournal() : new FileJournal(options.data, environment.logger);
    const store = new ObjectStore(journal, options.historySize ?? HISTORY_SIZE);
    let kube: EmbeddedKube;
    try {
      store.open(options.snapshot && contentOf(options.snapshot).objects);
      const parts = await assembleServer(store, options, environment);
      const lifecycle = new ServerLifecycle(parts);
      kube = new EmbeddedKube(await lifecycle.start(), parts, lifecycle);
    } catch (error) {
      store.close();
      throw error;
    }
    await kube.furnish(manifests);
    return kube;
  }

  /** The text of a kubeconfig file for the administrator. */
  get kubeconfig(): string {
    return kubeconfigText(this);
  }

  /** The version of the last write. */
  get resourceVersion(): string {
    return String(this.parts.store.revision);
  }

  /** The number of open watches. */
  get openWatches(): number {
    return this.parts.watches.size + this.parts.members.openWatches;
  }

  /** Writes the kubeconfig to a file that only its owner may read; {@link stop} removes it, unless it has been changed by then. */
  writeKubeconfig(path: string): void {
    const file = new KubeconfigFile(path, this.kubeconfig);
    this.kubeconfigs.push(file);
    file.write();
  }

  /**
   * Opens a transport to the server without sockets.
   *
   * @param token the token of requests that carry no credentials. Defaults to the administrator's.
   */
  transport(token = this.token): KubeTransport {
    return new InProcessTransport(this.parts.api, token, this.stopping.signal);
  }

  /**
   * Takes the whole state at this moment, at once and without copying it: what is written later copies what it touches.
   *
   * @example
   * const settled = kube.snapshot();
   * const another = await EmbeddedKube.start({ snapshot: settled });
   */
  snapshot(): KubeSnapshot {
    return this.state.snapshot();
  }

  /**
   * Starts another server that begins with the present state and is independent from then on: with the options of this one, but without a
   * port, a data folder and further controllers, unless they are given.
   *
   * It has the same token. A `random` and a `clock` that are not given are shared.
   */
  fork(options: EmbeddedKubeOptions = {}): Promise<EmbeddedKube> {
    return EmbeddedKube.start({ ...this.state.forkOptions(), ...options });
  }

  /**
   * Restores a snapshot, like a cluster whose etcd was restored from a backup: versions go back, too. Watches end, and the server's
   * controllers start again. Listeners of `kube.client.watch` get the differences as changes. The token and the certificates stay, and so
   * do faults, and scripts of pods. Requests have to be answered before, and clients have to list again after it.
   *
   * @throws Error if the data folder cannot be written
   */
  async restore(snapshot: KubeSnapshot): Promise<void> {
    await detach(() => this.state.restore(snapshot));
  }

  /** Forgets the history, so that watches and lists from earlier versions are answered with 410. */
  expireHistory(): void {
    this.parts.store.expireHistory();
  }

  /** Stops the server: removes its kubeconfigs, ends its watches and connections, and closes its files. */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(new Error('The API server is stopped'));
    for (const file of this.kubeconfigs) file.remove();
    for (const fault of this.faults.unmet) {
      process.emitWarning(`A fault was injected that nothing has met: ${fault}`, 'EmbeddedKubeWarning');
    }
    await this.lifecycle.stop();
  }

  /** Applies the manifests; if one cannot be applied, the server stops. */
  private async furnish(manifests: readonly Manifest[]): Promise<void> {
    const client = new ManifestClient(this.transport());
    try {
      for (const manifest of manifests) await client.apply(manifest);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }
}
