// reviews: what the API server asks the operator by webhooks, as its API has it: reviews of admission and of conversion, their answers,
// and the interface of the servers that bring them. Servers are settings, so it stands below these. How a review is answered is the
// business of admission and conversion.
// May import: common, objects, resources.

import type { AdmissionReviewer } from './admission.review.js';
import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WebhookClientConfig, WebhookServiceReference } from './webhook-client.config.js';

/** Gives a webhook server access to the operator that it serves. */
export interface AdmissionServerContext {
  /** Aborted when the operator stops: the server closes, after the answers in progress, and the iteration ends. */
  readonly signal: AbortSignal;
  readonly logger: KopfLogger;
  readonly clock: Clock;
  readonly random: Random;
  /** Discovers facts about the cluster, for servers that depend on the kind of the cluster. */
  readonly cluster: ClusterFacts;
  /** Requests to the API server, for servers that keep something there, such as certificates. */
  readonly api: AdmissionApi;
}

/** Lets a webhook server call the API server as the operator does: in JSON, with its credentials and retries. */
export interface AdmissionApi {
  /** The namespace that the operator runs in, or that of its credentials, if it is known. */
  readonly defaultNamespace: string | undefined;
  /**
   * Makes a request.
   *
   * @param path with the query, beginning with `/`.
   * @throws ApiError by the status of the answer, `ConnectionError`, or `LoginError`.
   */
  request<T>(method: string, path: string, payload?: unknown, options?: { readonly signal?: AbortSignal }): Promise<T>;
}

/** Discovers facts about the cluster. */
export interface ClusterFacts {
  /** Reads the version of the API server from `/version`: `v1.36.3+k3s1`; `undefined` if it cannot be read. */
  gitVersion(): Promise<string | undefined>;
  /** Reads the API server's certificate, which is not verified; `undefined` without TLS, or if it cannot be seen. */
  certificate(): Promise<ClusterCertificate | undefined>;
}

/** The certificate of an API server. */
export interface ClusterCertificate {
  /** `{ CN: 'k3s', O: 'k3s' }` */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  readonly issuer: Readonly<Record<string, string | readonly string[]>>;
  /** Host names and addresses that it is valid for. */
  readonly names: readonly string[];
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
  /**
   * Says where it will serve, if that is known before it does. A server that begins late, such as that of an application, can be named in CRDs
   * then before the operator lists anything. @default nothing: the first configuration is waited for
   */
  expectedAddress?(): WebhookClientConfig | undefined;
  /** Describes what the cluster must have for the server, so that manifests can be generated. @default nothing */
  describe?(): AdmissionServerDescription;
}

/** Tells manifests how a server of webhooks is reached in a cluster. */
export interface AdmissionServerDescription {
  /** The port that is listened at; absent for any free one. */
  readonly port?: number;
  /** The service that leads to the server. */
  readonly service?: WebhookServiceReference;
  /** The authorities by which the server's certificate is verified, in PEM, if they are known beforehand. */
  readonly caBundle?: string;
  /** The Secret that the server keeps its certificate in. */
  readonly secret?: { readonly name: string; readonly namespace?: string };
}
