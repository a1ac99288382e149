import type { AdmissionServer } from '../../reviews/admission-server.interface.js';
import {
  createFailureStatus,
  parseReview,
  readTimeout,
  readWebhookId,
} from '../../admission/servers/request.checks.js';
import { detach, stringifyJson, untilAborted } from 'kube-common';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { KillableProcess } from '../application/killable.process.js';

/** The address in the managed configurations of an operator under test. Nothing listens there. */
const ADDRESS = 'https://operator.test';

/** A review on its way, as `embedded-kube` sends it. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * The connection that brings the reviews of an API server in the process to the operator under test, whichever server of webhooks it has:
 * without sockets, and without certificates, which are verified in real time and would have expired in virtual time.
 */
export class TestWebhooks {
  protected current?: { readonly review: AdmissionReviewer; readonly process: KillableProcess };

  /** The server of webhooks of an operator under test. */
  serverOf(process: KillableProcess): AdmissionServer {
    return { serve: (review, { signal }) => this.serve({ review, process }, signal) };
  }

  /** Sends a review, as the transport for webhooks of `embedded-kube`. */
  async post({ url, headers, body, signal }: WebhookRequest) {
    const { current } = this;
    if (!url.startsWith(`${ADDRESS}/`)) throw new Error(`dial tcp: lookup ${new URL(url).host}: no such host`);
    if (!current || current.process.isDead) throw new Error('connect: connection refused');
    const answer = await detach(() => this.answer(current.review, { url, headers, body, signal }));
    const status = 'code' in answer ? answer.code : 200;
    return { status, headers: { 'content-type': 'application/json' }, body: stringifyJson(answer) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async answer(review: AdmissionReviewer, { url, headers, body, signal }: WebhookRequest) {
    try {
      const call = { webhook: readWebhookId(url, ADDRESS), headers, timeout: readTimeout(url), signal };
      return await review(parseReview(body), call);
    } catch (error) {
      return createFailureStatus(error);
    }
  }

  private async *serve(served: NonNullable<TestWebhooks['current']>, signal: AbortSignal) {
    this.current = served;
    yield { url: ADDRESS };
    await untilAborted(signal);
    if (this.current === served) this.current = undefined;
  }
}
