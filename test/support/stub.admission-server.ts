import type {
  AdmissionCall,
  AdmissionReviewAnswer,
  AdmissionReviewer,
  AdmissionServer,
  AdmissionServerContext,
  WebhookClientConfig,
} from 'nestjs-kopf';

/** A server without any network: the test itself sends the reviews, and says where the webhooks are. */
export class StubAdmissionServer implements AdmissionServer {
  context: AdmissionServerContext;
  /** What happened to it. */
  readonly log: string[] = [];
  private reviewer: AdmissionReviewer;
  private wake: () => void = () => undefined;
  private readonly pending: WebhookClientConfig[] = [];

  constructor(...configs: WebhookClientConfig[]) {
    this.pending.push(...configs);
  }

  /** Moves the webhooks. */
  announce(config: WebhookClientConfig): void {
    this.pending.push(config);
    this.wake();
  }

  review(review: object, call: Partial<AdmissionCall> = {}): Promise<AdmissionReviewAnswer> {
    return this.reviewer(review, { headers: {}, ...call });
  }

  async *serve(review: AdmissionReviewer, context: AdmissionServerContext): AsyncGenerator<WebhookClientConfig> {
    this.reviewer = review;
    this.context = context;
    this.log.push('started');
    context.signal.addEventListener('abort', () => this.wake());
    while (!context.signal.aborted) {
      yield* this.pending.splice(0);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    this.log.push('stopped');
  }
}
