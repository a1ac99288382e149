import type { KubeObject } from 'nestjs-kopf';
import type {
  AdmissionRequest,
  AdmissionCall,
  AdmissionReviewAnswer,
  AdmissionReviewer,
  AdmissionServer,
  AdmissionServerContext,
  WebhookClientConfig,
} from 'nestjs-kopf/webhooks';

/** Makes an object of `kopfexamples`. */
export function makeExample(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name: 'a', namespace: 'ns', ...metadata },
    spec,
  };
}

/** Makes a review of the creation of an object of `kopfexamples`; all of it can be replaced. */
export function makeReview(object: KubeObject | null, request: Partial<AdmissionRequest> = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '1ca13837-ad60-4c9e-abb8-86f29d6c0e84',
      kind: { group: 'kopf.dev', version: 'v1', kind: 'KopfExample' },
      resource: { group: 'kopf.dev', version: 'v1', resource: 'kopfexamples' },
      name: 'a',
      namespace: 'ns',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters'] },
      object,
      oldObject: null,
      dryRun: false,
      ...request,
    },
  };
}

/** The JSON patch of an answer. */
export function patchOf(answer: { response: { patch?: string } }): unknown {
  const { patch } = answer.response;
  return patch === undefined ? undefined : JSON.parse(Buffer.from(patch, 'base64').toString());
}

/** A server without any network: the test itself sends the reviews, and says where the webhooks are. */
export class StubAdmissionServer implements AdmissionServer {
  context: AdmissionServerContext;
  /** Notes when the server was started and stopped. */
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
    return this.reviewer(review, { headers: {}, ...call }) as Promise<AdmissionReviewAnswer>;
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
