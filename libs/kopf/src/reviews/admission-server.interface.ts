// reviews: the requests that the API server sends to webhooks, in the form of its API: reviews of admission and of conversion, their
// answers, and the interface of the servers that receive them. It stands below settings/, as servers are settings. admission/ and
// conversion/ answer the reviews.
// May import: common, objects, resources.

import type { AdmissionReviewer } from './admission.review.js';
import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WebhookClientConfig, WebhookServiceReference } from './webhook-client.config.js';

/** The access of a webhook server to the operator that it serves. */
export interface AdmissionServerContext {
  /** Aborted when the operator stops: the server closes, after the answers in progress, and the iteration ends. */
  readonly signal: AbortSignal;
  readonly logger: KopfLogger;
  readonly clock: Clock;
  readonly random: Random;
  /** Facts about the cluster, for servers that depend on its kind. */
  readonly cluster: ClusterFacts;
  /** Requests to the API server, for servers that store data there, such as certificates. */
  readonly api: AdmissionApi;
}

/** Requests to the API server as the operator makes them: in JSON, with its credentials and retries. */
export interface AdmissionApi {
  /** The namespace in which the operator runs, or that of its credentials; `undefined` if neither is known. */
  readonly defaultNamespace: string | undefined;
  /**
   * Makes a request.
   *
   * @param path with the query, beginning with `/`.
   * @throws ApiError by the status of the answer, `ConnectionError`, or `LoginError`.
   */
  request<T>(method: string, path: string, payload?: unknown, options?: { readonly signal?: AbortSignal }): Promise<T>;
}

/** Facts about the cluster, which are read on demand. */
export interface ClusterFacts {
  /** Reads the version of the API server from `/version`: `v1.36.3+k3s1`; `undefined` if it cannot be read. */
  gitVersion(): Promise<string | undefined>;
  /** Reads the API server's certificate, which is not verified; `undefined` without TLS, or if it cannot be read. */
  certificate(): Promise<ClusterCertificate | undefined>;
}

/** The certificate of an API server. */
export interface ClusterCertificate {
  /** The subject: `{ CN: 'k3s', O: 'k3s' }`. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  readonly issuer: Readonly<Record<string, string | readonly string[]>>;
  /** The host names and addresses for which it is valid. */
  readonly names: readonly string[];
}

/**
 * A server that receives reviews from the API server: a listener, a tunnel, or a part of the application.
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
   * Serves until the signal is aborted. It yields the address of the webhooks, and again whenever that changes. In managed configurations,
   * each webhook has this address with the path of its handler.
   */
  serve(review: AdmissionReviewer, context: AdmissionServerContext): AsyncIterable<WebhookClientConfig>;
  /**
   * Returns the address at which it will serve, if that is known before. CRDs can then refer to a server that begins late, such as that of
   * an application, before the operator lists anything. @default none: the operator waits for the first address
   */
  expectedAddress?(): WebhookClientConfig | undefined;
  /** Describes the objects that the cluster must have for the server, for generated manifests. @default nothing */
  describe?(): AdmissionServerDescription;
}

/** The way in which a webhook server is reached in a cluster, for generated manifests. */
export interface AdmissionServerDescription {
  /** The port at which the server listens; absent for any free one. */
  readonly port?: number;
  /** The service that leads to the server. */
  readonly service?: WebhookServiceReference;
  /** The authorities by which the server's certificate is verified, in PEM, if they are known before it serves. */
  readonly caBundle?: string;
  /** The Secret in which the server stores its certificate. */
  readonly secret?: { readonly name: string; readonly namespace?: string };
}
