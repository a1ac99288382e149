// root: wires all parts by their constructors; the only place that knows them all.
// May import: every folder but the command.

import { PolicyTypeChecker } from './admission/policies/type.checker.js';
import { createAdmission } from './admission/admission.factory.js';
import { CONFIGURATION_TRAITS } from './admission/webhooks/configuration/configuration.traits.js';
import { POLICY_TRAITS } from './admission/policies/policy.traits.js';
import { HttpsWebhookTransport } from './admission/webhooks/transport/https-webhook.transport.js';
import type { WebhookTransport } from './admission/webhooks/transport/webhook.transport.js';
import { ServiceResolver } from './admission/webhooks/transport/service.resolver.js';
import { conversionCalls } from './admission/webhooks/conversion.calls.js';
import { FieldManager } from './apply/field.manager.js';
import { createControllers } from './controllers/controller.factory.js';
import type { ControllerRunner } from './controllers/controller.runner.js';
import type { SimulatedPods } from './controllers/nodes/simulated.pods.js';
import { DEFINITIONS } from './definitions/definition.types.js';
import { DEFINITION_TRAITS } from './definitions/definition.traits.js';
import { createDefinitions } from './definitions/definition.factory.js';
import type { DefinitionController } from './definitions/definition.controller.js';
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
import { createMachinery, type Machinery } from './machinery/machinery.factory.js';
import type { LaggingMembers } from './machinery/lagging.member.js';
import type { WatchService } from './machinery/watch.service.js';
import { SYSTEM_USER, type ApiUser } from './machinery/api.user.js';
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
import { ServerCertificates } from './access/server.certificates.js';
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
let builtins: ReturnType<typeof createBuiltinKinds> | undefined;

function createBuiltinKinds() {
  const codec = new TypedCodec();
  const traits = { [DEFINITIONS]: DEFINITION_TRAITS, ...CONFIGURATION_TRAITS, ...POLICY_TRAITS };
  return { codec, resources: createBuiltins(codec, traits) };
}

/** What every floor of the server needs. */
type Foundation = ReturnType<typeof createFoundation>;

/** Creates the parts of a server, floor by floor, each with those that it needs; nothing runs yet. */
export async function assembleServer(
  store: ObjectStore,
  options: EmbeddedKubeOptions,
  environment: ServerEnvironment,
): Promise<ServerParts> {
  const foundation = createFoundation(store, options, environment);
  const { registry, access, identities, fields, transport, host, certificates } = foundation;
  const https = options.port === false ? undefined : await certificates.ofServer();
  const { admission, callConversion } = createAdmissionFloor(foundation);
  const historySize = options.historySize ?? HISTORY_SIZE;
  const bookmarkInterval = (options.bookmarkInterval ?? 60) * 1000;
  const limits = { historySize, bookmarkInterval };
  const machinery = createMachinery({ ...environment, ...limits, store, admission, identities, fields });
  const { deleter } = machinery.machinery;
  const definitions = createDefinitions({ ...foundation, ...machinery, deleter, callConversion });
  const clientOf = (user: ApiUser, manager: string) =>
    new MachineryClient(registry, machinery.machinery, user, manager);
  const policies = new PolicyTypeChecker(registry);
  const { controllers, pods } = createControllers(
    {
      ...options,
      checkPolicy: (policy) => policies.check(policy),
      flowControl: access.flows !== undefined,
      ...(https && { caCertificate: https.caCertificate }),
    },
    {
      ...environment,
      client: clientOf(SYSTEM_USER, 'kube-controller-manager'),
      issueToken: (account, secret) => access.tokens.issueForSecret(account, secret),
      issueCertificate: (request, usages, lifetime) => certificates.sign(request, usages, lifetime),
    },
  );
  return {
    ...createEndpoints(foundation, machinery, pods),
    options,
    logger: environment.logger,
    token: foundation.token,
    host,
    https,
    identityStore: foundation.identityStore,
    access,
    store,
    watches: machinery.watches,
    members: machinery.members,
    definitions,
    controllers,
    pods,
    client: clientOf(ADMINISTRATOR, 'embedded-kube'),
    systemObjects: clientOf(ADMINISTRATOR, 'kube-apiserver'),
    transport,
  };
}

/** The store with the built-in kinds, who may access it, and the certificates. */
function createFoundation(store: ObjectStore, options: EmbeddedKubeOptions, environment: ServerEnvironment) {
  const { clock, random } = environment;
  const identities = new IdentityFactory(random);
  const registry = new ResourceRegistry();
  const { codec, resources } = (builtins ??= createBuiltinKinds());
  for (const served of resources) registry.add(served);
  const identityStore = new IdentityStore(options.data, options.snapshot && contentOf(options.snapshot).identity);
  const token = options.token ?? identityStore.token(identities);
  const access = new AccessControl(options, { store, identities, identityStore, clock, token });
  const host = options.host ?? '127.0.0.1';
  const certificates = new ServerCertificates(identityStore, clock, host);
  const fields = new FieldManager(clock, { tracksAll: options.managedFields !== 'applied' });
  const transport = options.webhookTransport ?? new HttpsWebhookTransport();
  return {
    ...environment,
    options,
    store,
    registry,
    codec,
    identities,
    identityStore,
    token,
    access,
    host,
    certificates,
    fields,
    transport,
  };
}

/** The plugins of admission, and the calls of webhooks that convert objects. */
function createAdmissionFloor(foundation: Foundation) {
  const { options, access, store, transport, clock } = foundation;
  const services = options.webhookServices ?? {};
  const admission = createAdmission({
    ...foundation,
    services,
    authorizer: access.authorizer,
    enabled: options.enableAdmissionPlugins ?? [],
    plugins: [...(options.admission ?? []), ...access.plugins],
    simulatesPods: !!options.pods,
  });
  return { admission, callConversion: conversionCalls(transport, new ServiceResolver(store, services), clock) };
}

/** The way of a request: its faults, its record, its metrics, and the sockets. */
function createEndpoints(
  foundation: Foundation,
  { machinery, watches }: Machinery,
  pods: SimulatedPods,
): Pick<ServerParts, 'faulty' | 'history' | 'api' | 'listener'> {
  const { options, store, identities, clock, logger } = foundation;
  const gates = new FeatureGates(options.featureGates);
  const faulty = new FaultyServer(createApiServer({ ...foundation, machinery, watches, pods, gates }), clock);
  const history = new KubeHistory(store, clock);
  const api = new RecordingServer(faulty, history);
  const observed = new ObservedServer(api, new RequestMetrics(store), identities, clock);
  return { faulty, history, api, listener: new HttpsListener(observed, logger) };
}
