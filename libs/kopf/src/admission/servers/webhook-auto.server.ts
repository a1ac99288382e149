import type { AdmissionServer, AdmissionServerContext } from './admission-server.interface.js';
import type { AdmissionReviewer } from '../../contexts/admission.interface.js';
import type { WebhookClientConfig } from '../configuration/webhook-client-config.interface.js';
import { detectLocalHost } from './cluster.detection.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';

/**
 * A server that finds out which cluster it is for: k3d or k3s, Minikube, Docker Desktop, or any that can reach it by its address.
 *
 * @example
 * new WebhookAutoServer({ port: 54321 });
 */
export class WebhookAutoServer implements AdmissionServer {
  constructor(private readonly options: WebhookServerOptions = {}) {}

  async *serve(
    review: AdmissionReviewer,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    const isKnown = this.options.host !== undefined || this.options.service !== undefined;
    const host = isKnown ? this.options.host : await detectLocalHost(context.cluster);
    context.logger.debug(host ? `The cluster calls this machine ${host}.` : 'The cluster is none that is known.');
    yield* new WebhookServer({ ...this.options, host }).serve(review, context);
  }
}
