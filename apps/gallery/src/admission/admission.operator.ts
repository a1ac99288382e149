import { Injectable } from '@nestjs/common';
import { AdmissionError, Mutate, OnStartup, Validate, type ActivityContext, type AdmissionContext } from 'nestjs-kopf';
import { WebhookAutoServer, WebhookServer } from 'nestjs-kopf/webhooks';
import { EXAMPLES } from '../examples.js';

interface SizeSpec {
  readonly size?: number;
  readonly colour?: string;
}

/** Completes objects before they are stored, and refuses those that are wrong. */
@Injectable()
export class AdmissionOperator {
  @OnStartup()
  configure({ settings }: ActivityContext) {
    settings.admission.managed = 'gallery.kopf.dev';
    settings.admission.server = process.env.KUBERNETES_SERVICE_HOST
      ? new WebhookServer({ port: 9443, service: { name: 'gallery' }, secret: { name: 'gallery-webhooks' } })
      : new WebhookAutoServer();
  }

  @Mutate(EXAMPLES, { operations: ['CREATE', 'UPDATE'] })
  setDefaults({ spec, patch }: AdmissionContext<SizeSpec>) {
    if (spec.size === undefined) patch.spec.size = 1;
  }

  @Validate(EXAMPLES, { operations: ['CREATE', 'UPDATE'] })
  checkSize({ spec, warnings }: AdmissionContext<SizeSpec>) {
    const { size = 1 } = spec;
    if (size < 1) throw new AdmissionError(`The size must be positive, not ${size}.`, 422);
    if (size > 100) warnings.push(`${size} is a lot.`);
  }

  @Validate(EXAMPLES, { operation: 'UPDATE', field: 'spec.colour' })
  keepColour({ old, spec }: AdmissionContext<SizeSpec>) {
    const colour = (old as { spec?: SizeSpec } | undefined)?.spec?.colour;
    if (colour !== undefined && colour !== spec.colour) throw new AdmissionError('The colour cannot be changed.', 422);
  }

  @Validate(EXAMPLES, { operation: 'DELETE', labels: { protected: 'yes' } })
  protect({ name }: AdmissionContext) {
    throw new AdmissionError(`${name} is protected.`, 403);
  }
}
