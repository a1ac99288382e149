import type { WebhookClientConfig } from 'nestjs-kopf/webhooks';
import {
  type AdmissionHandler,
  createWebhooks,
  type KnownResources,
  type OperatorDescription,
  type Webhook,
} from 'nestjs-kopf/tooling';
import type { OperatorPlace } from '../rbac/rbac.manifests.js';

/** The service that leads to the webhooks, with nothing left open. */
export interface WebhookAddress {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  /** The port that the server listens at; absent if the application itself serves the webhooks. */
  readonly containerPort?: number;
  /** The path that all webhooks are under; empty for the root. */
  readonly path: string;
}

/** The webhooks of an operator that does not manage their configurations. */
export class OperatorWebhooks {
  private constructor(
    readonly address: WebhookAddress,
    private readonly operator: OperatorDescription,
    private readonly known: KnownResources,
  ) {}

  /** @returns undefined if there are none, if the operator manages them, or if no service leads to them. */
  static of(
    operator: OperatorDescription,
    place: OperatorPlace,
    known: KnownResources,
    prefix = '',
  ): OperatorWebhooks | undefined {
    const { server } = operator;
    if (!isUnmanaged(operator) || !server?.service) return undefined;
    const { name = place.name, namespace = place.namespace, port = 443, path } = server.service;
    const inner = [server.port === undefined ? prefix : '', path ?? ''].flatMap((part) => part.split('/'));
    const address = { name, namespace, port, containerPort: server.port };
    return new OperatorWebhooks(
      {
        ...address,
        path: inner
          .filter(Boolean)
          .map((part) => `/${part}`)
          .join(''),
      },
      operator,
      known,
    );
  }

  /**
   * The webhooks of one kind, as they are in a configuration.
   *
   * @param caBundle the authority in base64, if it is known.
   */
  ofKind(kind: AdmissionHandler['kind'], caBundle?: string): readonly Webhook[] {
    const { name, namespace, port, path } = this.address;
    const handlers = this.operator.handlers.allAdmission().filter((handler) => handler.kind === kind);
    const resources = handlers.flatMap(({ selector }) => (selector ? this.known.find(selector).resources : []));
    const clientConfig: WebhookClientConfig = {
      service: { name, namespace, port, path },
      ...(caBundle !== undefined && { caBundle }),
    };
    const options = { handlers, resources: [...new Set(resources)], managed: `${name}.${namespace}.svc`, clientConfig };
    return createWebhooks(options).map((webhook) => withoutNothing(webhook));
  }
}

/** Whether there are handlers whose webhook configurations others have to make. */
export function isUnmanaged({ handlers, settings }: OperatorDescription): boolean {
  return handlers.allAdmission().length > 0 && !settings.admission.managed;
}

/** A selector of all objects is the same as none. */
function withoutNothing(webhook: Webhook): Webhook {
  return Object.fromEntries(Object.entries(webhook).filter(([, value]) => value !== null)) as unknown as Webhook;
}
