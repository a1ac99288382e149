import type { ResourceRegistry } from '../../resources/resource.registry.js';
import type { Clock } from 'kube-common';
import type { Logger } from '../../common/logger.js';
import type { Authorizer } from '../../machinery/authorizer.js';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { ObjectStore } from '../../storage/object.store.js';
import type { AdmissionPlugin } from '../admission.plugin.js';
import { WebhookMatcher } from './matching/webhook.matcher.js';
import { WebhookSource } from './matching/webhook.source.js';
import { MutatingWebhookPlugin } from './mutating-webhook.plugin.js';
import { ServiceResolver, type WebhookServices } from './transport/service.resolver.js';
import type { WebhookTransport } from './transport/webhook.transport.js';
import { ValidatingWebhookPlugin } from './validating-webhook.plugin.js';
import { WebhookCaller } from './webhook.caller.js';
import { MUTATING_CONFIGURATIONS, VALIDATING_CONFIGURATIONS } from './configuration/webhook.types.js';

/** The dependencies of calls of webhooks. */
export interface WebhookParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly identities: IdentityFactory;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly transport: WebhookTransport;
  readonly services: WebhookServices;
  readonly authorizer: Authorizer;
}

/** Puts the plugins together that ask webhooks, in their order. */
export function webhookPlugins(parts: WebhookParts): AdmissionPlugin[] {
  const { store, registry, identities, clock, logger, transport, services } = parts;
  const matcher = new WebhookMatcher(store, parts.authorizer);
  const caller = new WebhookCaller(transport, new ServiceResolver(store, services), identities, clock);
  const mutating = new WebhookSource(store, registry, MUTATING_CONFIGURATIONS);
  const validating = new WebhookSource(store, registry, VALIDATING_CONFIGURATIONS);
  mutating.start();
  validating.start();
  return [
    new MutatingWebhookPlugin(mutating, matcher, caller, logger),
    new ValidatingWebhookPlugin(validating, matcher, caller, logger),
  ];
}
