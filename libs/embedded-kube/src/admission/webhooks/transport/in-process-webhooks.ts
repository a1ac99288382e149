import type { WebhookRequest, WebhookResponse, WebhookTransport } from './webhook.transport.js';

/** Answers a review: gets the decoded `AdmissionReview` and gives one. */
export type WebhookFunction = (review: never) => object | Promise<object>;

/**
 * Webhooks that are functions in this process, by their addresses without the query; there is nothing behind other addresses.
 *
 * @example
 * const webhooks = new InProcessWebhooks({
 *   'https://hooks.example/validate': ({ request }: Review) => ({
 *     apiVersion: 'admission.k8s.io/v1',
 *     kind: 'AdmissionReview',
 *     response: { uid: request.uid, allowed: request.operation !== 'DELETE' },
 *   }),
 * });
 * const kube = await EmbeddedKube.start({ port: false, webhookTransport: webhooks });
 */
export class InProcessWebhooks implements WebhookTransport {
  constructor(private readonly webhooks: Readonly<Record<string, WebhookFunction>>) {}

  async post({ url, body, signal }: WebhookRequest): Promise<WebhookResponse> {
    signal.throwIfAborted();
    const { origin, host, pathname } = new URL(url);
    const webhook = this.webhooks[origin + pathname] ?? (pathname === '/' ? this.webhooks[origin] : undefined);
    if (!webhook) throw new Error(`dial tcp: lookup ${host}: no such host`);
    const answer = await untilAborted(Promise.resolve(webhook(JSON.parse(body) as never)), signal);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
