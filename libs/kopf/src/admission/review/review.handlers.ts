import { Inject, Injectable } from '@nestjs/common';
import type { AdmissionRequest } from '../../reviews/admission.review.js';
import type { AdmissionHandler } from '../../registry/handler.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import type { Resource } from '../../resources/resources.js';
import { nameServicePath } from '../configuration/webhooks.js';
import { AdmissionRequestError } from './admission.errors.js';
import { OwnUpdates, type OwnUpdate } from './own.updates.js';
import { InjectOwn } from '../../kopf.tokens.js';

/** The handlers of reviews, before their filters are evaluated. */
@Injectable()
export class ReviewHandlers {
  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(OwnUpdates) private readonly ownUpdates: OwnUpdates,
  ) {}

  /**
   * Finds the handler of the webhook, or all handlers of the resource; for an update by the operator itself, only those that review such
   * updates.
   *
   * @returns a promise only if the user name of the operator has to be requested.
   * @throws AdmissionRequestError 404 if there is no handler of the id.
   */
  find(
    request: AdmissionRequest,
    resource: Resource,
    webhook: string | undefined,
  ): readonly AdmissionHandler[] | Promise<readonly AdmissionHandler[]> {
    const handlers = this.select(resource, webhook);
    const limit = (own: OwnUpdate | undefined): readonly AdmissionHandler[] =>
      own ? handlers.filter((handler) => isForOwn(handler, own)) : handlers;
    const own = this.ownUpdates.recognise(request, resource);
    return own instanceof Promise ? own.then(limit) : limit(own);
  }

  private select(resource: Resource, webhook: string | undefined): readonly AdmissionHandler[] {
    const { registry } = this;
    const handlers = registry.admissionOf(resource);
    if (!webhook) return handlers;
    const isExact = registry.allAdmission().some(({ id }) => id === webhook);
    const named = isExact ? webhook : registry.allAdmission().find(({ id }) => nameServicePath(id) === webhook)?.id;
    if (named === undefined) throw new AdmissionRequestError(`There is no handler '${webhook}'.`, 404);
    return handlers.filter(({ id }) => id === named);
  }
}

/** Whether a handler reviews an update by the operator itself, as the handler is for nothing but what the update changes. */
function isForOwn({ ownUpdates, subresource, field = [] }: AdmissionHandler, own: OwnUpdate): boolean {
  if (ownUpdates) return true;
  if (own === 'status') return subresource === 'status' || field[0] === 'status';
  return field[0] === 'metadata' && (field[1] === 'finalizers' || field[1] === 'annotations');
}
