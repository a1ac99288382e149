import type { Clock } from 'kube-common';
import type { Logger } from '../../common/logger.js';
import { StatusError } from '../../errors/status.error.js';
import { badRequest, internalError, requestTimeout } from '../../errors/status.errors.js';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { AdmissionView } from './matching/admission.view.js';
import type { CompiledWebhook } from './matching/compiled.webhook.js';
import { decodeResponse } from './review/response.decoder.js';
import {
  InvalidResponseError,
  type ReviewResponse,
  verifyResponse,
  reviewText,
  type ReviewVersion,
} from './review/admission.review.js';
import { CallingError } from './review/webhook.errors.js';
import type { ServiceResolver } from './transport/service.resolver.js';
import type { WebhookResponse, WebhookTransport } from './transport/webhook.transport.js';

const HEADERS = {
  accept: 'application/json, */*',
  'content-type': 'application/json',
  'user-agent': 'kube-apiserver-admission',
};
const HARMLESS = ['None', 'NoneOnDryRun'];
const DEFAULT_TIMEOUT = 10;

/** The calls of webhooks, with their timeouts and failure policies. */
export class WebhookCaller {
  constructor(
    private readonly transport: WebhookTransport,
    private readonly services: ServiceResolver,
    private readonly identities: IdentityFactory,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the review of a write, and passes warnings on.
   *
   * @throws CallingError if there is no valid answer
   * @throws StatusError 400 for a dry run that the webhook is not made for
   */
  async call(webhook: CompiledWebhook, view: AdmissionView, mutating: boolean): Promise<ReviewResponse> {
    const { name, sideEffects = '', admissionReviewVersions } = webhook.spec;
    if (view.attributes.dryRun && !HARMLESS.includes(sideEffects)) {
      throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
    }
    const version = admissionReviewVersions.find((each): each is ReviewVersion => each === 'v1' || each === 'v1beta1');
    if (!version) {
      const reason = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
      throw new CallingError(name, `could not create admission objects: ${reason}`);
    }
    const uid = this.identities.uid();
    const timeout = this.timeoutFor(webhook, view);
    const review = await this.exchange(webhook, version, timeout, reviewText(version, uid, view)).catch(
      (error: unknown) => {
        if (error instanceof StatusError) throw error;
        throw new CallingError(name, `failed to call webhook: ${(error as Error).message}`);
      },
    );
    try {
      const response = verifyResponse(review, version, uid, mutating);
      for (const warning of response.warnings) view.attributes.warn(warning);
      return response;
    } catch (error) {
      if (!(error instanceof InvalidResponseError)) throw error;
      throw new CallingError(name, `received invalid webhook response: ${error.message}`);
    }
  }

  /** @returns the milliseconds that an answer may take @throws StatusError 504 if the request has no time left */
  private timeoutFor({ spec }: CompiledWebhook, { attributes }: AdmissionView): number {
    const left = attributes.deadline - this.clock.monotonic();
    if (left <= 0) throw requestTimeout();
    return Math.min((spec.timeoutSeconds ?? DEFAULT_TIMEOUT) * 1000, left);
  }

  private async exchange(
    webhook: CompiledWebhook,
    version: ReviewVersion,
    timeout: number,
    body: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const isRequests = timeout < (webhook.spec.timeoutSeconds ?? DEFAULT_TIMEOUT) * 1000;
    const deadline = new AbortController();
    const timer = this.clock.setTimer(() => deadline.abort(new Error('context deadline exceeded')), timeout);
    try {
      const response = await this.post(webhook, `timeout=${Math.ceil(timeout / 1000)}s`, body, deadline.signal);
      return decodeResponse(response, version);
    } catch (error) {
      throw isRequests && deadline.signal.aborted ? requestTimeout() : error;
    } finally {
      timer.cancel();
    }
  }

  private async post(
    { spec: { clientConfig }, caBundle }: CompiledWebhook,
    query: string,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookResponse> {
    const { service } = clientConfig;
    const url = `${service ? serviceAddress(service) : address(clientConfig.url ?? '')}?${query}`;
    try {
      return await this.transport.post({
        url,
        ...(service && { endpoint: this.services.resolve(service) }),
        ...(caBundle && { caBundle }),
        headers: HEADERS,
        body,
        signal,
      });
    } catch (error) {
      throw new Error(`Post ${JSON.stringify(url)}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Returns the address of a webhook behind a service, as the real server names it. */
export function serviceAddress({
  namespace,
  name,
  path = '',
  port = 443,
}: {
  namespace: string;
  name: string;
  path?: string;
  port?: number;
}): string {
  return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}`;
}

/** Returns the address of a webhook at a URL. */
export function address(url: string): string {
  const { origin, pathname } = new URL(url);
  // The port of the configuration is shown as it is, even if it is the default one.
  const isDefault = /^https:\/\/[^/]*:443(\/|$)/i.test(url);
  return `${origin}${isDefault ? ':443' : ''}${cleanPath(pathname)}`;
}

function cleanPath(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`;
}

/**
 * Applies the failure policy of a webhook to the error of its call.
 *
 * @throws StatusError 500 if the policy does not ignore it; other errors, which are bugs, as they are
 */
export function applyFailurePolicy({ spec }: CompiledWebhook, error: unknown, logger: Logger): void {
  if (!(error instanceof CallingError)) throw error;
  if (spec.failurePolicy !== 'Ignore') throw internalError(error.message);
  logger.warn(`Failing open: ${error.message}`);
}
