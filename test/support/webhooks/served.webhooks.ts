import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { MemoryLogger } from '../telemetry/memory.logger.js';
import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import type {
  AdmissionApi,
  AdmissionServer,
  AdmissionServerContext,
} from '../../../libs/kopf/src/reviews/admission-server.interface.js';
import type { AdmissionReviewAnswer, AdmissionReviewer } from '../../../libs/kopf/src/reviews/admission.review.js';
import { type Clock, type Random, SeededRandom, SystemClock } from 'kube-common';
import type { WebhookClientConfig } from '../../../libs/kopf/src/reviews/webhook-client.config.js';
import { VirtualClock } from '../../../libs/kopf/src/testing/time/virtual.clock.js';

/** A review as the API server sends it. */
export const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u-1' } };

/** Allows everything. */
export const allow: AdmissionReviewer = () => Promise.resolve(allowance());

export function allowance(warnings?: readonly string[]): AdmissionReviewAnswer {
  const response = { uid: 'u-1', allowed: true, ...(warnings && { warnings }) };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

/** A server in use, its configurations one after another. */
export interface ServedWebhooks {
  readonly context: AdmissionServerContext & { readonly logger: MemoryLogger };
  /** The first configuration. */
  readonly config: WebhookClientConfig;
  /** All configurations until now. */
  readonly configs: readonly WebhookClientConfig[];
  /** Resolves when the server has given that many configurations. */
  until(count: number): Promise<WebhookClientConfig>;
  /** Asks the server to stop, and waits for it. */
  stop(): Promise<void>;
}

export function makeContext(
  options: {
    clock?: Clock;
    random?: Random;
    api?: Partial<AdmissionApi>;
    cluster?: Partial<AdmissionServerContext['cluster']>;
  } = {},
): { readonly controller: AbortController; readonly context: ServedWebhooks['context'] } {
  const controller = new AbortController();
  const unknown = { gitVersion: async () => undefined, certificate: async () => undefined };
  const noApi = { defaultNamespace: undefined, request: () => Promise.reject(new Error('There is no API server.')) };
  const context = {
    signal: controller.signal,
    logger: new MemoryLogger(),
    clock: options.clock ?? new SystemClock(),
    random: options.random ?? new SeededRandom(1),
    cluster: { ...unknown, ...options.cluster },
    api: options.api instanceof KubeApi ? options.api : ({ ...noApi, ...options.api } as AdmissionApi),
  };
  return { controller, context };
}

/** A promise that is settled from outside. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Starts a server and waits until it listens. It is stopped with the test. */
export async function serve(
  server: AdmissionServer,
  review: AdmissionReviewer = allow,
  options: Parameters<typeof makeContext>[0] = {},
): Promise<ServedWebhooks> {
  const { controller, context } = makeContext(options);
  const configs: WebhookClientConfig[] = [];
  const waiting = new Set<() => void>();
  const running = (async () => {
    for await (const config of server.serve(review, context)) {
      configs.push(config);
      for (const wake of waiting) wake();
    }
  })();
  const failed = running.then(() => Promise.reject(new Error('The server has ended.')));
  failed.catch(() => undefined);
  const until = async (count: number): Promise<WebhookClientConfig> => {
    while (configs.length < count) {
      let wake = (): void => undefined;
      await Promise.race([new Promise<void>((resolve) => waiting.add((wake = resolve))), failed]);
      waiting.delete(wake);
    }
    return configs[count - 1];
  };
  const stop = (): Promise<void> => {
    controller.abort();
    return running;
  };
  const config = await until(1);
  onTestFinished(async () => {
    const { clock } = context;
    await (clock instanceof VirtualClock ? clock.runUntil(stop()) : stop());
  });
  return { context, config, configs, until, stop };
}

/** An answer over HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: any;
}

/** Sends a request, by default a review, trusting what the configuration says. */
export function send(
  config: WebhookClientConfig,
  options: RequestOptions & { readonly body?: string | Buffer; readonly path?: string } = {},
): Promise<Reply> {
  const { body = JSON.stringify(REVIEW), path = '', headers, ...rest } = options;
  const url = new URL(config.url! + path);
  const ca = config.caBundle && Buffer.from(config.caBundle, 'base64').toString();
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      ca,
      ...rest,
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.on('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json');
        const reply = {
          status: response.statusCode!,
          headers: response.headers,
          body: isJson ? JSON.parse(text) : text,
        };
        // An answer can come before all of the request was sent.
        if (sent.writableFinished) resolve(reply);
        else sent.once('finish', () => resolve(reply));
      });
    });
    sent.end(body);
  });
}
