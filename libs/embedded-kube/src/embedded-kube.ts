// root: wires all parts by their constructors; the only place that knows them all.
// May import: every folder but the command.

import { createAdmission } from './admission/admission.factory.js';
import { CONFIGURATION_TRAITS } from './admission/webhooks/configuration/configuration.traits.js';
import { POLICY_TRAITS } from './admission/policies/policy.traits.js';
import { HttpsWebhookTransport } from './admission/webhooks/transport/https-webhook.transport.js';
import { ServiceResolver } from './admission/webhooks/transport/service.resolver.js';
import { conversionCalls } from './admission/webhooks/conversion.calls.js';
import { ConversionWebhook } from './definitions/conversion/conversion.webhook.js';
import { FieldManager } from './apply/field.manager.js';
import { AccountTokenController } from './controllers/account-token.controller.js';
import { CertificateSigner } from './controllers/certificate.signer.js';
import { ControllerRunner } from './controllers/controller.runner.js';
import { SimulatedPods } from './controllers/nodes/simulated.pods.js';
import { DEFINITIONS } from './definitions/definition.types.js';
import { DEFINITION_TRAITS } from './definitions/definition.traits.js';
import { DefinitionController } from './definitions/definition.controller.js';
import { DefinitionStatuses } from './definitions/definition.statuses.js';
import { registerBuiltins } from './kinds/builtin.registration.js';
import { ResourceRegistry } from './resources/resource.registry.js';
import type { EmbeddedKubeOptions } from './embedded-kube.options.js';
import { contentOf, type KubeSnapshot, ServerState } from './server.state.js';
import { FaultyServer } from './faults/faulty.server.js';
import { KubeFaults } from './faults/kube.faults.js';
import type { ControllerClient } from './controllers/controller.js';
import { KubeHistory, RecordingServer } from './history/kube.history.js';
import type { RequestHandler } from './server/api.request.js';
import type { KubeTransport } from './server/kube-transport.js';
import { type Logger, StderrLogger } from './common/logger.js';
import { IdentityFactory } from './machinery/identity.factory.js';
import { publishServer } from './controllers/server.publication.js';
import { MachineryClient } from './controllers/machinery.client.js';
import { createSystemObjects } from './controllers/system.objects.js';
import { ObjectMachinery } from './machinery/object.machinery.js';
import { LaggingMembers } from './machinery/lagging.member.js';
import { WatchService } from './machinery/watch.service.js';
import { SYSTEM_USER } from './machinery/api.user.js';
import { createApiServer } from './server/api-server.factory.js';
import { HttpsListener } from './server/https.listener.js';
import { ObservedServer } from './server/observed.server.js';
import { RequestMetrics } from './server/request.metrics.js';
import { InProcessTransport } from './server/in-process.transport.js';
import { FileJournal } from './storage/file.journal.js';
import { NullJournal } from './storage/journal.js';
import { ObjectStore } from './storage/object.store.js';
import { type Clock, SystemClock } from './common/clock.js';
import { FeatureGates } from './common/feature.gates.js';
import { type Random, SystemRandom } from './common/random.js';
import { TypedCodec } from './typed/typed.codec.js';
import { AccessControl, ADMINISTRATOR } from './access/access.control.js';
import type { ServerIdentity } from './access/certificate.authority.js';
import { IdentityStore } from './access/identity.store.js';
import { kubeconfigText, KubeconfigFile } from './access/kubeconfig.js';

const HISTORY_SIZE = 5000;
const IN_PROCESS_URL = 'http://embedded-kube.invalid';

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
  private readonly stopping = new AbortController();
  private readonly kubeconfigs: KubeconfigFile[] = [];

  private constructor(
    /** The address: `https://127.0.0.1:6443`; not reachable if only the same process is served. */
    readonly url: string,
    /** The administrator's bearer token. */
    readonly token: string,
    /** The certificate of the server's authority, in PEM; absent if only the same process is served. */
    readonly caCertificate: string | undefined,
    /** Reads and writes objects without HTTP. */
    readonly client: ControllerClient,
    /** Sets the pace and the outcome of simulated pods, and what they print. */
    readonly pods: SimulatedPods,
    /** Lets things go wrong on their way, for tests. */
    readonly faults: KubeFaults,
    /** Records who has asked for what and what has changed, for assertions. */
    readonly history: KubeHistory,
    private readonly api: RequestHandler,
    private readonly store: ObjectStore,
    private readonly watches: WatchService,
    private readonly close: () => Promise<void>,
    private readonly state: ServerState,
  ) {}

  /**
   * Starts a server.
   *
   * @throws Error if the port is taken, or the data folder is in use or damaged
   */
  static async start(options: EmbeddedKubeOptions = {}): Promise<EmbeddedKube> {
    const clock = options.clock ?? new SystemClock();
    const random = options.random ?? new SystemRandom();
    const logger = options.logger ?? new StderrLogger();
    const journal = options.data === undefined ? new NullJournal() : new FileJournal(options.data, logger);
    const store = new ObjectStore(journal, options.historySize ?? HISTORY_SIZE);
    try {
      store.open(options.snapshot && contentOf(options.snapshot).objects);
      return await EmbeddedKube.startOn(store, options, { clock, random, logger });
    } catch (error) {
      store.close();
      throw error;
    }
  }

  private static async startOn(
    store: ObjectStore,
    options: EmbeddedKubeOptions,
    { clock, random, logger }: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
  ): Promise<EmbeddedKube> {
    const gates = new FeatureGates(options.featureGates);
    const identities = new IdentityFactory(random);
    const registry = new ResourceRegistry();
    const identityStore = new IdentityStore(options.data, options.snapshot && contentOf(options.snapshot).identity);
    const token = options.token ?? identityStore.token(identities);
    const access = new AccessControl(options, { store, identities, identityStore, clock, token });
    const transport = options.webhookTransport ?? new HttpsWebhookTransport();
    const services = options.webhookServices ?? {};
    const fields = new FieldManager(clock, { tracksAll: options.managedFields !== 'applied' });
    const admission = createAdmission({
      store,
      registry,
      identities,
      clock,
      random,
      logger,
      fields,
      transport,
      services,
      authorizer: access.authorizer,
      plugins: [...(options.admission ?? []), ...access.plugins],
      simulatesPods: !!options.pods,
    });
    const machinery = new ObjectMachinery({ store, admission, clock, identities, fields });
    const historySize = options.historySize ?? HISTORY_SIZE;
    const bookmarkInterval = (options.bookmarkInterval ?? 60) * 1000;
    const watches = new WatchService(store, clock, random, bookmarkInterval);
    const members = new LaggingMembers({ store, clock, random, historySize, bookmarkInterval });
    const codec = new TypedCodec();
    registerBuiltins(registry, codec, { [DEFINITIONS]: DEFINITION_TRAITS, ...CONFIGURATION_TRAITS, ...POLICY_TRAITS });
    const conversionCall = conversionCalls(transport, new ServiceResolver(store, services), clock);
    const conversions = new ConversionWebhook(conversionCall, identities);
    const { deleter } = machinery;
    const statuses = new DefinitionStatuses(store, registry, fields, clock);
    const definitions = new DefinitionController(store, registry, watches, deleter, statuses, logger, conversions);
    const client = new MachineryClient(registry, machinery, ADMINISTRATOR, 'embedded-kube');
    const system = new MachineryClient(registry, machinery, SYSTEM_USER, 'kube-controller-manager');
    const host = options.host ?? '127.0.0.1';
    let identity: Promise<ServerIdentity> | undefined;
    const serverIdentity = (): Promise<ServerIdentity> =>
      (identity ??= identityStore.serverIdentity(clock.now(), host));
    const https = options.port === false ? undefined : await serverIdentity();
    const pods = new SimulatedPods(clock);
    const controllers = new ControllerRunner(
      {
        ...options,
        flowControl: access.flows !== undefined,
        ...(https && { caCertificate: https.caCertificate }),
        controllers: [
          new AccountTokenController((account, secret) => access.tokens.issueForSecret(account, secret)),
          new CertificateSigner(async (request, usages, lifetime) => {
            const { signCertificate } = await import('./access/certificate.authority.js');
            return signCertificate(await serverIdentity(), request, usages, clock.now(), lifetime);
          }),
          ...(options.controllers ?? []),
        ],
      },
      { client: system, clock, random, logger },
      pods,
    );
    const server = createApiServer({ registry, machinery, watches, codec, clock, logger, access, pods, gates });
    const api = new FaultyServer(server, clock);
    const history = new KubeHistory(store, clock);
    const recorded = new RecordingServer(api, history);
    const observed = new ObservedServer(recorded, new RequestMetrics(store), identities, clock);
    const listener = new HttpsListener(observed, logger);
    const onUnpublished = (error: unknown): void =>
      logger.warn(`Cannot publish the service default/kubernetes: ${String(error)}`);
    const end = async (): Promise<void> => {
      await controllers.stop();
      definitions.stop();
      watches.end();
      members.end();
      await listener.close();
      await transport.close();
    };
    const close = async (): Promise<void> => {
      await end();
      store.close();
    };
    try {
      definitions.start();
      await createSystemObjects(new MachineryClient(registry, machinery, ADMINISTRATOR, 'kube-apiserver'));
      await access.start();
      await controllers.start();
      const port = https && (await listener.listen(host, options.port || 0, https));
      const published = port === undefined ? undefined : { host, port };
      // A server that nobody reaches from outside leaves what a snapshot says about the one that it was taken of.
      if (published || !options.snapshot) await publishServer(client, published).catch(onUnpublished);
      const faults = new KubeFaults(api, {
        createMember: (version) => members.add(version),
        expireHistory: () => store.expireHistory(),
        disconnect: () => listener.close(),
        reconnect: async () => void (https && port && (await listener.listen(host, port, https))),
      });
      const url = https ? `https://${host.includes(':') ? `[${host}]` : host}:${port}` : IN_PROCESS_URL;
      const state = new ServerState({ options, store, identityStore, watches, definitions, controllers, members });
      const ca = https?.caCertificate;
      if (options.history) history.start(options.history === true ? {} : options.history);
      return new EmbeddedKube(url, token, ca, client, pods, faults, history, recorded, store, watches, close, state);
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** The text of a kubeconfig file for the administrator. */
  get kubeconfig(): string {
    return kubeconfigText(this);
  }

  /** The version of the last write. */
  get resourceVersion(): string {
    return String(this.store.revision);
  }

  /** Counts the open watches. */
  get openWatches(): number {
    return this.watches.size + this.state.members.openWatches;
  }

  /** Writes the kubeconfig to a file that only its owner may read; {@link stop} removes it, unless it has been changed by then. */
  writeKubeconfig(path: string): void {
    const file = new KubeconfigFile(path, this.kubeconfig);
    this.kubeconfigs.push(file);
    file.write();
  }

  /**
   * A way to the server without sockets.
   *
   * @param token whose requests they are that carry no credentials of their own. Defaults to the administrator's.
   */
  transport(token = this.token): KubeTransport {
    return new InProcessTransport(this.api, token, this.stopping.signal);
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
   * Starts another server that begins with the present state, and lives on its own: with the options of this one, but without
   * a port, a data folder and further controllers, unless they are given.
   *
   * It has the same token. A `random` and a `clock` that are not given are shared.
   */
  fork(options: EmbeddedKubeOptions = {}): Promise<EmbeddedKube> {
    return EmbeddedKube.start({ ...this.state.forkOptions(), ...options });
  }

  /**
   * Goes back to a snapshot, as a cluster whose etcd was restored from a backup: versions go back, too. Watches end, and the server's
   * controllers begin anew. Listeners of `kube.client.watch` are told what is different. The token and the certificates stay,
   * and so do faults, and scripts of pods. Requests have to be answered before, and clients have to list again after it.
   *
   * @throws Error if the data folder cannot be written
   */
  async restore(snapshot: KubeSnapshot): Promise<void> {
    await this.state.restore(snapshot);
  }

  /** Forgets the history, so that watches and lists from earlier versions are answered with 410. */
  expireHistory(): void {
    this.store.expireHistory();
  }

  /** Stops the server: removes its kubeconfigs, ends its watches and connections, and closes its files. */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(new Error('The API server is stopped'));
    for (const file of this.kubeconfigs) file.remove();
    await this.close();
  }
}
