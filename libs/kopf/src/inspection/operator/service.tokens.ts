import type { FactoryProvider, INestApplicationContext, InjectionToken, Provider } from '@nestjs/common';
import { ReviewDispatcher } from '../../admission/review/review.dispatcher.js';
import { KubeApi } from '../../client/api/api.client.js';
import { EventsClient } from '../../client/api/events.client.js';
import { Vault } from '../../client/vault/vault.js';
import { KopfPeering } from '../../coordination/peering/kopf.peering.js';
import { OperatorIdentity } from '../../diagnostics/channels.js';
import { HandlerExecutor } from '../../execution/handler.executor.js';
import { IndexFreshness } from '../../indexing/index.freshness.js';
import { IndexRegistry } from '../../indexing/index.registry.js';
import { LogStatistics } from '../../logs/log.statistics.js';
import { KopfOperator } from '../../operator/kopf.operator.js';
import { OperatorLifecycle } from '../../operator/operator.lifecycle.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { WatcherSet } from '../../watching/watcher.set.js';
import { provideOwn } from '../../discovery/operator.providers.js';
import {
  KOPF_CLOCK,
  KOPF_LOGGER,
  KOPF_OPTIONS,
  operatorTokenOf,
  ownTokenOf,
  type OperatorService,
} from '../../kopf.tokens.js';
import type { InspectedServices } from './inspected.services.js';
import { OperatorReader } from './operator.reader.js';

/** The services of an operator that an inspection reads, by the names that it has for them. */
const SERVICES: Readonly<Record<keyof InspectedServices, OperatorService>> = {
  operator: KopfOperator,
  lifecycle: OperatorLifecycle,
  watchers: WatcherSet,
  registry: HandlerRegistry,
  indices: IndexRegistry,
  settings: KopfSettings,
  options: KOPF_OPTIONS,
  api: KubeApi,
  vault: Vault,
  peering: KopfPeering,
  identity: OperatorIdentity,
  events: EventsClient,
  dispatcher: ReviewDispatcher,
  freshness: IndexFreshness,
  logs: LogStatistics,
  executor: HandlerExecutor,
  clock: KOPF_CLOCK,
  logger: KOPF_LOGGER,
};

/** Creates the providers of an operator's readings, for modules that need nothing else of an inspection. */
export function provideReader(operator: string): Provider[] {
  const services = Object.values(SERVICES);
  const reader: FactoryProvider<OperatorReader> = {
    provide: OperatorReader,
    useFactory: (...found: unknown[]) => new OperatorReader(nameServices(found)),
    inject: services.map(ownTokenOf),
  };
  return [reader, ...provideOwn(operator, services)];
}

/** The tokens of all services of an operator. */
export function serviceTokensOf(operator: string): readonly InjectionToken[] {
  return Object.values(SERVICES).map((service) => operatorTokenOf(operator, service));
}

/** Finds the services of an operator in its application. */
export function findServices(application: Pick<INestApplicationContext, 'get'>, operator: string): InspectedServices {
  return nameServices(
    Object.values(SERVICES).map((service) =>
      application.get<unknown>(operatorTokenOf(operator, service), { strict: false }),
    ),
  );
}

/** @param services the services in the order of their names. */
function nameServices(services: readonly unknown[]): InspectedServices {
  const named = Object.keys(SERVICES).map((name, index) => [name, services[index]] as const);
  return Object.fromEntries(named) as unknown as InspectedServices;
}
