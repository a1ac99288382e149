/** The way to webhooks: one HTTP exchange at a time. */
export interface WebhookTransport {
  /**
   * Sends a review and resolves with the whole answer, of any status. Rejects with an error whose message says why there is none, and with
   * the signal's reason if that is aborted.
   */
  post(request: WebhookRequest): Promise<WebhookResponse>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** A review on its way to a webhook. */
export interface WebhookRequest {
  /** The address with its query: `https://hooks.example:9443/validate?timeout=10s`. */
  readonly url: string;
  /** The address to connect to instead of the host of `url`, if that is a service: `https://127.0.0.1:9443`. */
  readonly endpoint?: string;
  /** The certificates of the authorities that the webhook is trusted by, in PEM. @default those that the machine trusts */
  readonly caBundle?: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The review as JSON. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The answer of a webhook. */
export interface WebhookResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
