/** Tells the API server where a webhook is: exactly one of a URL and a service, as in webhook configurations. */
export interface WebhookClientConfig {
  url?: string;
  service?: WebhookServiceReference;
  /** The certificate authority's certificate, in base64. */
  caBundle?: string;
}

/** A service that serves webhooks. */
export interface WebhookServiceReference {
  namespace?: string;
  name?: string;
  path?: string | null;
  port?: number;
}
