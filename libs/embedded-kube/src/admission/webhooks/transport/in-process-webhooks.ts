import { parseJson, stringifyJson } from 'kube-common';
import type { WebhookRequest, WebhookResponse, WebhookTransport } from './webhook.transport.js';

/** A function that answers a review: it gets the decoded `AdmissionReview`, and returns one. */
// Reviews are of many kinds: what a function takes of them is its own business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type WebhookFunction = (review: any) => object | Promise<object>;

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
  private readonly pending = new Set<(reason: Error) => void>();
  private readonly byAddress = new Map<string, WebhookFunction>();
  private closed: Error | undefined;

  constructor(private readonly webhooks: Readonly<Record<string, WebhookFunction>>) {}

  async post({ url, body, signal }: WebhookRequest): Promise<WebhookResponse> {
    signal.throwIfAborted();
    if (this.closed) throw this.closed;
    const webhook = this.find(url);
    if (!webhook) throw new Error(`dial tcp: lookup ${new URL(url).host}: no such host`);
    const answer = await this.untilEnded(Promise.resolve(webhook(parseJson(body))), signal);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: stringifyJson(answer) };
  }

  close(): Promise<void> {
    this.closed = new Error('The transport is closed');
    for (const reject of this.pending) reject(this.closed);
    return Promise.resolve();
  }

  /** Finds the webhook of an address. Addresses are the same with and without the default port. */
  private find(url: string): WebhookFunction | undefined {
    const address = url.slice(0, url.indexOf('?'));
    const known = this.webhooks[address] ?? this.byAddress.get(address);
    if (known) return known;
    const { href } = new URL(address);
    const found = Object.entries(this.webhooks).find(([key]) => new URL(key).href === href)?.[1];
    if (found) this.byAddress.set(address, found);
    return found;
  }

  private untilEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      this.pending.add(reject);
      work.then(resolve, reject).finally(() => {
        this.pending.delete(reject);
        signal.removeEventListener('abort', abort);
      });
    });
  }
}
