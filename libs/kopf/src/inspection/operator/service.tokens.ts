import type { INestApplicationContext, InjectionToken } from '@nestjs/common';
import { KubeApi } from '../../client/api/api.client.js';
import { EventsClient } from '../../client/api/events.client.js';
import { Vault } from '../../client/vault/vault.js';
import { KopfPeering } from '../../coordination/peering/kopf.peering.js';
import { OperatorIdentity } from '../../diagnostics/channels.js';
import { IndexRegistry } from '../../indexing/index.registry.js';
import { KopfOperator } from '../../operator/kopf.operator.js';
import { OperatorLifecycle } from '../../operator/operator.lifecycle.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { WatcherSet } from '../../watching/watcher.set.js';
import { KOPF_CLOCK, KOPF_LOGGER, KOPF_OPTIONS, operatorTokenOf, type OperatorService } from '../../kopf.tokens.js';
import type { InspectedServices } from './inspected.services.js';

/** The services of an operator that its source reads from, by the names that it has for them. */
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
  clock: KOPF_CLOCK,
  logger: KOPF_LOGGER,
};

/** The tokens of all services of an operator. */
export function serviceTokensOf(operator: string): readonly InjectionToken[] {
  return Object.values(SERVICES).map((service) => operatorTokenOf(operator, service));
}

/** Finds the services of an operator in its application. */
export function findServices(application: Pick<INestApplicationContext, 'get'>, operator: string): InspectedServices {
  const found = Object.entries(SERVICES).map(([name, service]) => {
    return [name, application.get<unknown>(operatorTokenOf(operator, service), { strict: false })] as const;
  });
  return Object.fromEntries(found) as unknown as InspectedServices;
}
