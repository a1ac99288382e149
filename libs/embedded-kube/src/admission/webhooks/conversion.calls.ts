import type { Clock } from 'kube-common';
import type { ServiceReference } from './configuration/webhook.types.js';
import type { ServiceResolver } from './transport/service.resolver.js';
import type { WebhookTransport } from './transport/webhook.transport.js';
import { address, serviceAddress } from './webhook.caller.js';

const HEADERS = {
  accept: 'application/json, */*',
  'content-type': 'application/json',
  'user-agent': 'kube-apiserver',
};
const TIMEOUT_SECONDS = 30;

/** The address of a webhook. */
interface WebhookAddress {
  readonly url?: string;
  readonly service?: ServiceReference;
  readonly caBundle?: string;
}

/** Calls the webhooks that convert objects, in the way of admission webhooks. */
export function conversionCalls(transport: WebhookTransport, services: ServiceResolver, clock: Clock) {
  return async ({ url, service, caBundle }: WebhookAddress, body: string): Promise<string> => {
    const target = `${service ? serviceAddress(service) : address(url ?? '')}?timeout=${TIMEOUT_SECONDS}s`;
    const deadline = new AbortController();
    const timer = clock.setTimer(() => deadline.abort(new Error('context deadline exceeded')), TIMEOUT_SECONDS * 1000);
    try {
      const response = await transport.post({
        url: target,
        ...(service && { endpoint: services.resolve(service) }),
        ...(caBundle && { caBundle: Buffer.from(caBundle, 'base64').toString() }),
        headers: HEADERS,
        body,
        signal: deadline.signal,
      });
      if (response.status >= 200 && response.status < 300) return response.body;
      throw new Error('the server rejected our request for an unknown reason');
    } catch (error) {
      throw new Error(`Post ${JSON.stringify(target)}: ${(error as Error).message}`, { cause: error });
    } finally {
      timer.cancel();
    }
  };
}
