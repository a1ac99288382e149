import { type Clock, type Random, SystemClock, SystemRandom } from 'kube-common';
import { Module, Scope, type DynamicModule, type Provider } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { KubeApi } from './client/api/api.client.js';
import { KubeClient } from './client/kube.client.js';
import { TypedApis } from './client/api/typed.apis.js';
import { Vault } from './client/vault/vault.js';
import { OperatorIdentity } from './diagnostics/channels.js';
import type { KopfLogger } from './common/kopf.logger.js';
import { ActivityRunner } from './activities/activity.runner.js';
import { LoginActivity } from './activities/login.activity.js';
import { OperatorMemo } from './activities/operator.memo.js';
import { AdmissionServers } from './admission/servers/admission.servers.js';
import { ReviewDispatcher } from './admission/review/review.dispatcher.js';
import { HandlerExecutor } from './execution/handler.executor.js';
import { ObjectReader } from './client/api/object.reader.js';
import { PatchingClient } from './client/api/patching.client.js';
import { PatchVerification } from './client/api/patch.verification.js';
import { WatchEnvironment } from './client/watch/watch.environment.js';
import { ObjectLoggerFactory } from './events/object.logger.js';
import { ObjectIndexing } from './indexing/object.indexing.js';
import { EssentialChanges } from './background/essential.changes.js';
import { BackgroundPatching } from './background/background.patching.js';
import { LogStatistics } from './logs/log.statistics.js';
import { BackgroundEngineFactory } from './background/background.engine.factory.js';
import { OperatorEnvironment } from './activities/operator.environment.js';
import { EventProcessor } from './handling/event.processor.js';
import { CycleRunner } from './handling/cycle.runner.js';
import { IndexHandling } from './handling/index.handling.js';
import { ReleaseHandling } from './handling/release.handling.js';
import { HandlingSteps } from './handling/handling.steps.js';
import { ChangeDetector } from './handling/change.detector.js';
import { EventHandling } from './handling/event.handling.js';
import { BackgroundHandling } from './handling/background.handling.js';
import { FinalizerHandling } from './handling/finalizer.handling.js';
import { ChangeHandling } from './handling/change.handling.js';
import { ChangeExecutor } from './handling/change.executor.js';
import { LateChanges } from './handling/late.changes.js';
import { PatchApplication } from './handling/patch.application.js';
import { BookkeepingHandling } from './handling/bookkeeping.handling.js';
import { PatchSending } from './handling/patch.sending.js';
import { StateWriting } from './handling/state.writing.js';
import { AdmissionProcessor } from './admission/review/admission.processor.js';
import { ReviewHandlers } from './admission/review/review.handlers.js';
import { ReviewMemories } from './admission/review/review.memories.js';
import { OwnUpdates } from './admission/review/own.updates.js';
import { AdmissionEngineFactory } from './admission/admission.engine.factory.js';
import { CoordinationFactory } from './operator/coordination.factory.js';
import { SessionEngineFactory } from './operator/session-engine.factory.js';
import { SessionFactory } from './operator/session.factory.js';
import { StartRetries } from './operator/start.retries.js';
import { WatcherFactory } from './operator/watcher.factory.js';
import { WatchingFactory } from './operator/watching.factory.js';
import { EventsClient } from './client/api/events.client.js';
import { asap } from './execution/lifecycles.js';
import type { Lifecycle } from './execution/lifecycle.interface.js';
import { HandlerInvoker } from './execution/handler.invoker.js';
import { KopfAdmission } from './admission/kopf.admission.js';
import { KopfVault } from './client/vault/kopf.vault.js';
import { KopfPeering } from './coordination/peering/kopf.peering.js';
import { KopfIndices } from './indexing/kopf.indices.js';
import { KopfOperator } from './operator/kopf.operator.js';
import { KopfRegistry } from './registry/kopf.registry.js';
import { KopfWatcher } from './watching/kopf.watcher.js';
import { IndexRegistry } from './indexing/index.registry.js';
import { IndexFreshness } from './indexing/index.freshness.js';
import { Pauses } from './coordination/pausing/pauses.js';
import { MembershipSet } from './coordination/peering/membership.set.js';
import { findHandlerContext } from './contexts/handler.contexts.js';
import { optionsProviders, type KopfModuleAsyncOptions } from './kopf-options.providers.js';
import { WatcherSet } from './watching/watcher.set.js';
import { HandlerRegistry } from './registry/handler.registry.js';
import { provideOwn, provideService, tokenOf } from './discovery/operator.providers.js';
import { ConversionEngineFactory } from './conversion/conversion-engine.factory.js';
import { ConversionGraphs } from './conversion/conversion.graphs.js';
import { ConversionProcessor } from './conversion/conversion.processor.js';
import { DefinitionInstaller } from './custom-resources/definition.installer.js';
import { OperatorLifecycle } from './operator/operator.lifecycle.js';
import {
  DEFAULT_OPERATOR,
  KOPF_CLOCK,
  KOPF_CONTEXT,
  KOPF_LIFECYCLE,
  KOPF_LOGGER,
  KOPF_OPERATOR_NAME,
  KOPF_OPTIONS,
  KOPF_RANDOM,
  moduleTokenOf,
  operatorTokenOf,
  ownTokenOf,
  type OperatorService,
} from './kopf.tokens.js';
import type { KopfModuleOptions } from './kopf.options.js';
import { createSettings } from './operator/settings.factory.js';
import { createVault } from './operator/vault.factory.js';
import { KopfSettings } from './settings/kopf.settings.js';
import { Redactor } from './resources/redactor.js';
import { createLogger } from './operator/logger.factory.js';

/** The steps of handling in the order of an event's way, from its queue to the patch. They have no state of objects or sessions. */
const HANDLING: Provider[] = [
  EventProcessor,
  ObjectLoggerFactory,
  CycleRunner,
  IndexHandling,
  ObjectIndexing,
  ReleaseHandling,
  HandlingSteps,
  ChangeDetector,
  EventHandling,
  BackgroundHandling,
  EssentialChanges,
  FinalizerHandling,
  ChangeHandling,
  ChangeExecutor,
  LateChanges,
  HandlerInvoker,
  PatchApplication,
  PatchSending,
  BookkeepingHandling,
  StateWriting,
  PatchingClient,
  PatchVerification,
  ObjectReader,
  BackgroundPatching,
  AdmissionProcessor,
  OwnUpdates,
  ReviewHandlers,
  ReviewMemories,
];

/** The factories of the operator's sessions. Only what they create has the state of a session. */
const SESSIONS: Provider[] = [
  SessionFactory,
  SessionEngineFactory,
  WatcherFactory,
  WatchingFactory,
  CoordinationFactory,
  BackgroundEngineFactory,
  AdmissionEngineFactory,
];

/** The services that the application injects. */
const PUBLIC_SERVICES = [
  KopfOperator,
  KopfRegistry,
  KopfWatcher,
  KopfVault,
  KopfPeering,
  KopfIndices,
  KopfAdmission,
] as const satisfies Provider[];

/**
 * The services of an operator: what the application injects, what the other modules of the library use, and what tests replace. They need
 * only the options and the name of the operator.
 */
const SERVICES: readonly Provider[] = [
  ...PUBLIC_SERVICES,
  HandlerRegistry,
  LogStatistics,
  HandlerExecutor,
  IndexRegistry,
  IndexFreshness,
  OperatorLifecycle,
  DefinitionInstaller,
  ConversionGraphs,
  ConversionProcessor,
  AdmissionServers,
  ReviewDispatcher,
  WatcherSet,
  ActivityRunner,
  {
    provide: KOPF_LOGGER,
    useFactory: createLogger,
    inject: [KOPF_OPERATOR_NAME, KopfSettings].map(ownTokenOf),
  },
  {
    provide: OperatorIdentity,
    useFactory: (name: string) => new OperatorIdentity(name),
    inject: [ownTokenOf(KOPF_OPERATOR_NAME)],
  },
  {
    provide: KOPF_CLOCK,
    useFactory: ({ clock }: KopfModuleOptions): Clock => clock ?? new SystemClock(),
    inject: [ownTokenOf(KOPF_OPTIONS)],
  },
  {
    provide: KOPF_RANDOM,
    useFactory: ({ random }: KopfModuleOptions): Random => random ?? new SystemRandom(),
    inject: [ownTokenOf(KOPF_OPTIONS)],
  },
  {
    provide: KOPF_LIFECYCLE,
    useFactory: ({ lifecycle }: KopfModuleOptions): Lifecycle => lifecycle ?? asap,
    inject: [ownTokenOf(KOPF_OPTIONS)],
  },
  {
    provide: EventsClient,
    useFactory: (api: KubeApi, { posting }: KopfSettings, clock: Clock, logger: KopfLogger) =>
      new EventsClient(api, posting, clock, logger),
    inject: [KubeApi, KopfSettings, KOPF_CLOCK, KOPF_LOGGER].map(ownTokenOf),
  },
  { provide: KopfSettings, useFactory: createSettings, inject: [ownTokenOf(KOPF_OPTIONS)] },
  {
    provide: Redactor,
    useFactory: ({ redaction }: KopfSettings) => new Redactor(redaction),
    inject: [ownTokenOf(KopfSettings)],
  },
  {
    provide: Vault,
    useFactory: createVault,
    inject: [...[KOPF_OPTIONS, KopfSettings, KOPF_CLOCK, KOPF_RANDOM, KOPF_LOGGER].map(ownTokenOf), LoginActivity],
  },
  {
    provide: KubeApi,
    useFactory: (
      vault: Vault,
      { networking }: KopfSettings,
      clock: Clock,
      logger: KopfLogger,
      operator: OperatorIdentity,
      redactor: Redactor,
    ) => new KubeApi(vault, networking, clock, logger, operator, redactor),
    inject: [Vault, KopfSettings, KOPF_CLOCK, KOPF_LOGGER, OperatorIdentity, Redactor].map(ownTokenOf),
  },
  { provide: TypedApis, useFactory: (api: KubeApi) => new TypedApis(api), inject: [ownTokenOf(KubeApi)] },
  {
    provide: KubeClient,
    useFactory: (api: KubeApi, settings: KopfSettings, clock: Clock, random: Random, logger: KopfLogger) =>
      new KubeClient({ api, settings, clock, random, logger }),
    inject: [KubeApi, KopfSettings, KOPF_CLOCK, KOPF_RANDOM, KOPF_LOGGER].map(ownTokenOf),
  },
];

/** The classes that only the module of the operator itself uses. */
const INTERNALS: readonly Provider[] = [
  ...HANDLING,
  ...SESSIONS,
  ConversionEngineFactory,
  Pauses,
  StartRetries,
  WatchEnvironment,
  OperatorEnvironment,
  LoginActivity,
  {
    provide: MembershipSet,
    useFactory: ({ peering }: KopfSettings, clock: Clock, random: Random, name: string) =>
      new MembershipSet(peering, clock, random, name),
    inject: [KopfSettings, KOPF_CLOCK, KOPF_RANDOM, KOPF_OPERATOR_NAME].map(ownTokenOf),
  },
  {
    provide: OperatorMemo,
    useFactory: ({ memo }: KopfModuleOptions) => new OperatorMemo(memo),
    inject: [ownTokenOf(KOPF_OPTIONS)],
  },
];

/** The services that the module of an operator exports. */
const EXPORTED = [KOPF_OPTIONS, KOPF_OPERATOR_NAME, ...SERVICES.map(tokenOf)] as readonly OperatorService[];

/** Creates all providers of an operator, but for its options and its name. */
export function createCoreProviders(operator: string): readonly Provider[] {
  return [
    ...SERVICES.map((service) => provideService(operator, service)),
    ...INTERNALS,
    ...provideOwn(operator, EXPORTED),
  ];
}

/**
 * The provider of the invocation's context, for request-scoped classes; it is the same for all operators, as each invocation has one
 * context.
 */
const CONTEXT_PROVIDER: Provider = {
  provide: KOPF_CONTEXT,
  scope: Scope.REQUEST,
  useFactory: findHandlerContext,
  inject: [REQUEST],
};

/**
 * The module of one operator, which exports its services for the application: its registry, watcher, settings, and clients. An application
 * has an instance of it for each of its operators.
 */
@Module({})
export class KopfCoreModule {
  static register({ name = DEFAULT_OPERATOR, ...options }: KopfModuleAsyncOptions): DynamicModule {
    return {
      module: KopfCoreModule,
      global: true,
      imports: options.imports ?? [],
      providers: [
        { provide: moduleTokenOf(name), useValue: name },
        { provide: operatorTokenOf(name, KOPF_OPERATOR_NAME), useValue: name },
        ...optionsProviders({ ...options, name }),
        ...createCoreProviders(name),
        CONTEXT_PROVIDER,
      ],
      exports: [moduleTokenOf(name), ...EXPORTED.map((service) => operatorTokenOf(name, service)), KOPF_CONTEXT],
    };
  }
}
