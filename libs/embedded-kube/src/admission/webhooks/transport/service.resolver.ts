import type { ObjectStore } from '../../../storage/object.store.js';
import type { ServiceReference } from '../configuration/webhook.types.js';

/** A service with its port. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * The addresses (`https://127.0.0.1:9443`) of the services behind webhooks, by `namespace/name:port` or `namespace/name`, or a function
 * that returns them.
 */
export type WebhookServices = Readonly<Record<string, string>> | ((service: WebhookService) => string | undefined);

/** The addresses of services for calls of webhooks, as nothing listens at those of the cluster. */
export class ServiceResolver {
  constructor(
    private readonly store: ObjectStore,
    private readonly services: WebhookServices,
  ) {}

  /** @throws Error in the words of the real server if it is nowhere */
  resolve({ namespace, name, port = 443 }: ServiceReference): string {
    const { services } = this;
    const found =
      typeof services === 'function'
        ? services({ namespace, name, port })
        : (services[`${namespace}/${name}:${port}`] ?? services[`${namespace}/${name}`]);
    if (found !== undefined) return found;
    const quoted = JSON.stringify(name);
    if (!this.store.collection('services').get(namespace, name)) throw new Error(`service ${quoted} not found`);
    throw new Error(`no endpoints available for service ${quoted}`);
  }
}
