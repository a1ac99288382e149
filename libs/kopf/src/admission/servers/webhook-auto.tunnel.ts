import type { AdmissionServer, AdmissionServerContext } from './admission-server.interface.js';
import type { AdmissionReviewer } from '../../contexts/admission.interface.js';
import type { WebhookClientConfig } from '../configuration/webhook-client-config.interface.js';
import { detectLocalHost } from './cluster.detection.js';
import { loadNgrok, type Ngrok } from './ngrok.loader.js';
import { WebhookNgrokTunnel, type WebhookNgrokTunnelOptions } from './webhook-ngrok.tunnel.js';
import { WebhookServer } from './webhook.server.js';

/**
 * A server for a cluster on the same machine, if it is one that is known; a tunnel through ngrok for all others.
 *
 * @example
 * new WebhookAutoTunnel({ token: process.env.NGROK_AUTHTOKEN });
 */
export class WebhookAutoTunnel implements AdmissionServer {
  constructor(
    private readonly options: WebhookNgrokTunnelOptions = {},
    private readonly load: () => Promise<Ngrok> = loadNgrok,
  ) {}

  /** @throws KopfBootstrapError if a tunnel is needed, and the package of ngrok is not installed. */
  async *serve(
    review: AdmissionReviewer,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    const { addr, port, path } = this.options;
    const host = await detectLocalHost(context.cluster);
    context.logger.debug(
      host ? `The cluster calls this machine ${host}.` : 'The cluster is none that is known: tunneling.',
    );
    const server = host
      ? new WebhookServer({ addr, port, path, host })
      : new WebhookNgrokTunnel(this.options, this.load);
    yield* server.serve(review, context);
  }
}
