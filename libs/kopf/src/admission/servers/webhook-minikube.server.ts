import { LOCAL_HOSTS } from './local.hosts.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';

/**
 * A server for a cluster of Minikube on the same machine: the cluster reaches it as `host.minikube.internal`.
 *
 * @example
 * new WebhookMinikubeServer({ port: 54321 });
 */
export class WebhookMinikubeServer extends WebhookServer {
  constructor(options: WebhookServerOptions = {}) {
    super({ ...options, host: options.host ?? LOCAL_HOSTS.minikube });
  }
}
