import type { Clock } from 'kube-common';
import type { FieldManager } from '../apply/field.manager.js';
import type { Logger } from '../common/logger.js';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { ObjectDeleter } from '../machinery/object.deleter.js';
import type { WatchService } from '../machinery/watch.service.js';
import type { ResourceRegistry } from '../resources/resource.registry.js';
import type { ObjectStore } from '../storage/object.store.js';
import { ConversionWebhook, type ConversionCall } from './conversion/conversion.webhook.js';
import { DefinitionController } from './definition.controller.js';
import { DefinitionStatuses } from './definition.statuses.js';

/** The dependencies of custom resources. */
export interface DefinitionParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly watches: WatchService;
  readonly deleter: ObjectDeleter;
  readonly fields: FieldManager;
  readonly identities: IdentityFactory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Calls a webhook that converts objects. */
  readonly callConversion: ConversionCall;
}

/** Creates the controller that serves custom resources as their CRDs come and go. */
export function createDefinitions(parts: DefinitionParts): DefinitionController {
  const { store, registry, watches, deleter, fields, identities, clock, logger, callConversion } = parts;
  const statuses = new DefinitionStatuses(store, registry, fields, clock);
  const conversions = new ConversionWebhook(callConversion, identities);
  return new DefinitionController(store, registry, watches, deleter, statuses, logger, conversions);
}
