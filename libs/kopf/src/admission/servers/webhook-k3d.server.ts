import { LOCAL_HOSTS } from './local.hosts.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';

/**
 * A server for a cluster of k3d or k3s on the same machine: the cluster reaches it as `host.k3d.internal`.
 *
 * @example
 * new WebhookK3dServer({ port: 54321 });
 */
export class WebhookK3dServer extends WebhookServer {
  constructor(options: WebhookServerOptions = {}) {
    super({ ...options, host: options.host ?? LOCAL_HOSTS.k3d });
  }
}
