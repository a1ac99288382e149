import type {
  AdmissionServer,
  AdmissionServerContext,
  AdmissionServerDescription,
} from '../../reviews/admission-server.interface.js';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { completeOptions, type WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServing } from './webhook.serving.js';

/**
 * A webhook server with its own port, over HTTPS: with a self-signed certificate, one in files, or one in a Secret.
 *
 * Certificates are replaced while it serves, and no connection is closed for that.
 *
 * @example
 * new WebhookServer({ port: 9443, certfile: '/certs/tls.crt', pkeyfile: '/certs/tls.key', cafile: '/certs/ca.crt' });
 * @example
 * new WebhookServer({ port: 9443, service: { name: 'my-operator' }, secret: { name: 'my-operator-webhooks' } });
 */
export class WebhookServer implements AdmissionServer {
  constructor(private readonly options: WebhookServerOptions = {}) {}

  describe(): AdmissionServerDescription {
    const { port, service, secret, path, cadata: caBundle } = this.options;
    return { port, service: service && { ...service, ...(path !== undefined && { path }) }, secret, caBundle };
  }

  /**
   * Serves until the signal is aborted.
   *
   * @throws KopfBootstrapError if the options contradict each other, or the address cannot be listened at.
   * @throws CertificateError if there is no usable certificate.
   */
  async *serve(
    review: AdmissionReviewer,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    yield* new WebhookServing(completeOptions(this.options), review, context).run();
  }
}
