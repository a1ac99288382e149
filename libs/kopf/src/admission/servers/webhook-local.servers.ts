import { LOCAL_HOSTS } from './webhook.address.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';
import type { AdmissionServer, AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { detectLocalHost } from './cluster.facts.js';

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

/**
 * A server that detects the kind of the cluster: k3d or k3s, Minikube, Docker Desktop, or any other one that reaches the server by its
 * address.
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
