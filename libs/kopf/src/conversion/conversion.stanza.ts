import { createWebhookClientConfig } from '../admission/configuration/webhooks.js';
import type { WebhookClientConfig } from '../reviews/webhook-client.config.js';
import { isMap } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';

/** The `spec.conversion` of a CRD that a webhook converts. */
export interface ConversionStanza {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: WebhookClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
}

/** The prefix in the paths of webhooks for conversions, which no handler's id has. */
const PREFIX = 'convert/';

/** Returns the end of the path of the webhook for a CRD: `convert/widgets.example.com`. */
export function conversionPathOf(definition: string): string {
  return PREFIX + definition;
}

/** Reads the name of the CRD from a webhook's path; `undefined` if there is none. */
export function definitionOf(webhook: string | undefined): string | undefined {
  return webhook?.startsWith(PREFIX) ? webhook.slice(PREFIX.length) : undefined;
}

/** Creates the `spec.conversion` of a CRD for the address of the webhooks. */
export function createConversionStanza(definition: string, config: WebhookClientConfig): ConversionStanza {
  const clientConfig = createWebhookClientConfig(config, conversionPathOf(definition));
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
}

/** Reads the address of the conversion webhook of a CRD; `undefined` if it has none. */
export function conversionClientOf(definition: KubeObject | undefined): WebhookClientConfig | undefined {
  const { conversion } = (definition?.spec ?? {}) as { readonly conversion?: unknown };
  if (!isMap(conversion) || conversion.strategy !== 'Webhook' || !isMap(conversion.webhook)) return undefined;
  return conversion.webhook.clientConfig as WebhookClientConfig | undefined;
}

/** Checks whether the webhook of a CRD belongs to an operator of this library, by the end of its path. */
export function isOwnConversion(definition: KubeObject | undefined): boolean {
  const { url, service } = conversionClientOf(definition) ?? {};
  const path = url ?? service?.path ?? '';
  return path.endsWith(`/${conversionPathOf(String(definition?.metadata.name))}`);
}
