import { createWebhookClientConfig } from '../admission/configuration/webhooks.js';
import type { WebhookClientConfig } from '../reviews/webhook-client.config.js';
import { isMap } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';

/** Says in a CRD that a webhook converts its objects, in the form of the API. */
export interface ConversionStanza {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: WebhookClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
}

/** Begins the path of webhooks for conversions, which no handler's id has. */
const PREFIX = 'convert/';

/** The end of the path of the webhook for a CRD: `convert/widgets.example.com`. */
export function conversionPathOf(definition: string): string {
  return PREFIX + definition;
}

/** Reads the CRD that a webhook's path names; `undefined` if it names none. */
export function definitionOf(webhook: string | undefined): string | undefined {
  return webhook?.startsWith(PREFIX) ? webhook.slice(PREFIX.length) : undefined;
}

/** Makes the `spec.conversion` of a CRD, for the place where webhooks are served. */
export function createConversionStanza(definition: string, config: WebhookClientConfig): ConversionStanza {
  const clientConfig = createWebhookClientConfig(config, conversionPathOf(definition));
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
}

/** Reads the place of the conversion webhook of a CRD; `undefined` if it has none. */
export function conversionClientOf(definition: KubeObject | undefined): WebhookClientConfig | undefined {
  const { conversion } = (definition?.spec ?? {}) as { readonly conversion?: unknown };
  if (!isMap(conversion) || conversion.strategy !== 'Webhook' || !isMap(conversion.webhook)) return undefined;
  return conversion.webhook.clientConfig as WebhookClientConfig | undefined;
}

/** Tells whether the webhook of a CRD is one of an operator of ours, by the end of its path. */
export function isOwnConversion(definition: KubeObject | undefined): boolean {
  const { url, service } = conversionClientOf(definition) ?? {};
  const path = url ?? service?.path ?? '';
  return path.endsWith(`/${conversionPathOf(String(definition?.metadata.name))}`);
}
