/** The address of a webhook for the API server: either a URL or a service, as in webhook configurations. */
export interface WebhookClientConfig {
  url?: string;
  service?: WebhookServiceReference;
  /** The certificate authority's certificate, in base64. */
  caBundle?: string;
}

/** The Kubernetes Service in front of the operator, by which the API server reaches its webhooks. */
export interface WebhookServiceReference {
  namespace?: string;
  name?: string;
  path?: string | null;
  port?: number;
}
