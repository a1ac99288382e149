/**
 * How the API server trusts the webhooks whose configurations the operator does not manage itself: by `admission.managed`, it would
 * write its own certificate into them.
 */
export interface WebhookOptions {
  /** The certificate of the authority that has signed the webhooks' certificate, in PEM. @default that of the server, if it is known */
  readonly caBundle?: string;
  /**
   * Whether cert-manager makes the certificate, in the Secret of `WebhookServer`, and writes its authority into the configurations.
   *
   * @default false
   */
  readonly certManager?: boolean;
}
