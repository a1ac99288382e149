import type { AdmissionReviewer } from './admission.interface.js';
import type { Clock } from './clock.interface.js';
import type { KopfLogger } from './logger.interface.js';
import type { Random } from './random.interface.js';
import type { WebhookClientConfig } from './webhook-client-config.interface.js';

/** What a server of webhooks can know of the operator that it serves. */
export interface AdmissionServerContext {
  /** Aborted when the operator stops: the server closes, after the answers in progress, and the iteration ends. */
  readonly signal: AbortSignal;
  readonly logger: KopfLogger;
  readonly clock: Clock;
  readonly random: Random;
  /** What the API server says of itself, for servers that depend on the kind of the cluster. */
  readonly cluster: ClusterFacts;
}

/** What can be found out of the cluster. */
export interface ClusterFacts {
  /** As of `/version`: `v1.36.3+k3s1`. */
  gitVersion(): Promise<string | undefined>;
  /** The certificate that the API server shows, as text: its subject, issuer, and names; `undefined` without TLS. */
  certificateNames(): Promise<readonly string[] | undefined>;
}

/**
 * Brings reviews from the API server to the operator: as a listener, a tunnel, or a part of the application.
 *
 * @example
 * const server: AdmissionServer = {
 *   async *serve(review, { signal }) {
 *     const tunnel = await openTunnel((body, headers) => review(body, { headers }));
 *     yield { url: tunnel.url };
 *     await once(signal, 'abort');
 *     await tunnel.close();
 *   },
 * };
 */
export interface AdmissionServer {
  /**
   * Serves until the signal is aborted, and says where: once, and again whenever that changes.
   * The webhooks of the managed configurations get it, each with the path of its handler.
   */
  serve(review: AdmissionReviewer, context: AdmissionServerContext): AsyncIterable<WebhookClientConfig>;
}
