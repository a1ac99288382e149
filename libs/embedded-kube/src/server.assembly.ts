// root: wires all parts by their constructors; the only place that knows them all.
// May import: every folder but the command.

import { createAdmission } from './admission/admission.factory.js';
import { CONFIGURATION_TRAITS } from './admission/webhooks/configuration/configuration.traits.js';
import { POLICY_TRAITS } from './admission/policies/policy.traits.js';
import { HttpsWebhookTransport } from './admission/webhooks/transport/https-webhook.transport.js';
import type { WebhookTransport } from './admission/webhooks/transport/webhook.transport.js';
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
import { createBuiltins } from './kinds/builtin.registration.js';
import { ResourceRegistry } from './resources/resource.registry.js';
import type { EmbeddedKubeOptions } from './embedded-kube.options.js';
import { contentOf } from './server.state.js';
import { FaultyServer } from './faults/faulty.server.js';
import type { ControllerClient } from './controllers/controller.js';
import { KubeHistory, RecordingServer } from './history/kube.history.js';
import type { RequestHandler } from './server/api.request.js';
import type { Logger } from './common/logger.js';
import { IdentityFactory } from './machinery/identity.factory.js';
import { MachineryClient } from './controllers/machinery.client.js';
import { ObjectMachinery } from './machinery/object.machinery.js';
import { LaggingMembers } from './machinery/lagging.member.js';
import { WatchService } from './machinery/watch.service.js';
import { SYSTEM_USER } from './machinery/api.user.js';
import { createApiServer } from './server/api-server.factory.js';
import { HttpsListener } from './server/https.listener.js';
import { ObservedServer } from './server/observed.server.js';
import { RequestMetrics } from './server/request.metrics.js';
import type { ObjectStore } from './storage/object.store.js';
import type { Clock, Random } from 'kube-common';
import { FeatureGates } from './common/feature.gates.js';
import { TypedCodec } from './typed/typed.codec.js';
import { AccessControl, ADMINISTRATOR } from './access/access.control.js';
import type { ServerIdentity } from './access/certificate.authority.js';
import { IdentityStore } from './access/identity.store.js';

/** The number of changes that a server remembers by default. */
export const HISTORY_SIZE = 5000;

/** Time, randomness and the log of a server. */
export interface ServerEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The parts of a server that are started, stopped, and used from outside. */
export interface ServerParts {
  readonly options: EmbeddedKubeOptions;
  readonly logger: Logger;
  /** The administrator's bearer token. */
  readonly token: string;
  readonly host: string;
  /** The certificates of the server; absent if only the same process is served. */
  readonly https: ServerIdentity | undefined;
  readonly identityStore: IdentityStore;
  readonly access: AccessControl;
  readonly store: ObjectStore;
  readonly watches: WatchService;
  readonly members: LaggingMembers;
  readonly definitions: DefinitionController;
  readonly controllers: ControllerRunner;
  /** A client with the rights of the administrator. */
  readonly client: ControllerClient;
  /** A client that creates the objects that each server has. */
  readonly systemObjects: ControllerClient;
  readonly pods: SimulatedPods;
  /** The server that answers requests, unless they meet a fault. */
  readonly faulty: FaultyServer;
  readonly history: KubeHistory;
  /** The server for requests of this process, which records them. */
  readonly api: RequestHandler;
  readonly listener: HttpsListener;
  readonly transport: WebhookTransport;
}

/** The built-in kinds, made for the first server of a process: they are the same in all servers, and never change. */
let builtins: ReturnType<typeof makeBuiltins> | undefined;

function makeBuiltins() {
  const codec = new TypedCodec();
  const traits = { [DEFINITIONS]: DEFINITION_TRAITS, ...CONFIGURATION_TRAITS, ...POLICY_TRAITS };
  return { codec, resources: createBuiltins(codec, traits) };
}

/** Makes the parts of a server, each with those that it needs; nothing runs yet. */
export async function assembleServer(
  store: ObjectStore,
  options: EmbeddedKubeOptions,
  { clock, random, logger }: ServerEnvironment,
): Promise<ServerParts> {
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
    enabled: options.enableAdmissionPlugins ?? [],
    plugins: [...(options.admission ?? []), ...access.plugins],
    simulatesPods: !!options.pods,
  });
  const machinery = new ObjectMachinery({ store, admission, clock, identities, fields });
  const historySize = options.historySize ?? HISTORY_SIZE;
  const bookmarkInterval = (options.bookmarkInterval ?? 60) * 1000;
  const watches = new WatchService(store, clock, random, bookmarkInterval);
  const members = new LaggingMembers({ store, clock, random, historySize, bookmarkInterval });
  const { codec, resources } = (builtins ??= makeBuiltins());
  for (const served of resources) registry.add(served);
  const conversionCall = conversionCalls(transport, new ServiceResolver(store, services), clock);
  const conversions = new ConversionWebhook(conversionCall, identities);
  const { deleter } = machinery;
  const statuses = new DefinitionStatuses(store, registry, fields, clock);
  const definitions = new DefinitionController(store, registry, watches, deleter, statuses, logger, conversions);
  const client = new MachineryClient(registry, machinery, ADMINISTRATOR, 'embedded-kube');
  const system = new MachineryClient(registry, machinery, SYSTEM_USER, 'kube-controller-manager');
  const host = options.host ?? '127.0.0.1';
  let identity: Promise<ServerIdentity> | undefined;
  const serverIdentity = (): Promise<ServerIdentity> => (identity ??= identityStore.serverIdentity(clock.now(), host));
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
  const faulty = new FaultyServer(server, clock);
  const history = new KubeHistory(store, clock);
  const api = new RecordingServer(faulty, history);
  const observed = new ObservedServer(api, new RequestMetrics(store), identities, clock);
  const listener = new HttpsListener(observed, logger);
  const systemObjects = new MachineryClient(registry, machinery, ADMINISTRATOR, 'kube-apiserver');
  return {
    options,
    logger,
    token,
    host,
    https,
    identityStore,
    access,
    store,
    watches,
    members,
    definitions,
    controllers,
    client,
    systemObjects,
    pods,
    faulty,
    history,
    api,
    listener,
    transport,
  };
}
