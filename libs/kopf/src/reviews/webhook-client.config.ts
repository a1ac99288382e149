/** The address of a webhook for the API server, as in webhook configurations: either a URL or a service. */
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
