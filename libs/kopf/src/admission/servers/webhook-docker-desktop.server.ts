import { LOCAL_HOSTS } from './local.hosts.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';

/**
 * A server for a cluster of Docker Desktop on the same machine: the cluster reaches it as `host.docker.internal`.
 *
 * @example
 * new WebhookDockerDesktopServer({ port: 54321 });
 */
export class WebhookDockerDesktopServer extends WebhookServer {
  constructor(options: WebhookServerOptions = {}) {
    super({ ...options, host: options.host ?? LOCAL_HOSTS.dockerDesktop });
  }
}
