import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { joinHeaders } from '../../client/http/raw.headers.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import type { AdmissionCall, AdmissionReviewer, ClientCertificate } from '../../reviews/admission.review.js';
import { type Clock, Deferred, stringifyJson } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { readClientCertificate } from './client.certificates.js';
import {
  createFailureStatus,
  readBody,
  checkRequest,
  parseReview,
  readTimeout,
  readWebhookId,
} from './request.checks.js';
import type { VerifyMode } from './webhook-server.options.js';

type ReviewAnswer = Awaited<ReturnType<AdmissionReviewer>>;

/** Lists the dependencies of the endpoint. */
export interface ReviewEndpointOptions {
  readonly review: AdmissionReviewer;
  /** Without a slash at its end; can be empty. */
  readonly path: string;
  readonly verifyMode: VerifyMode;
  readonly bodyLimit: number;
  /** Limits how long an answer may take, in seconds. */
  readonly answerTimeout: number;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** Answers HTTP requests with reviews: what is none is refused by its status, and what fails shows no details. */
export class ReviewEndpoint {
  /** Of connections, which are used for many requests. */
  private readonly certificates = new WeakMap<Socket, ClientCertificate | undefined>();
  /** For as long as connections wait for answers; one for each, as making them is expensive. */
  private readonly waiting = new WeakMap<Socket, AbortController>();

  constructor(private readonly options: ReviewEndpointOptions) {}

  /** Answers one request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.answer(request, response);
      reply(response, 200, stringifyJson(answer)!);
    } catch (error) {
      this.sendFailure(request, response, error);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<ReviewAnswer> {
    const { path, bodyLimit } = this.options;
    const { url = '/', headers } = request;
    const webhook = readWebhookId(url, path);
    checkRequest(request);
    const sslpeer = this.identify(request.socket);
    if (headers.expect && !(Number(headers['content-length']) > bodyLimit)) response.writeContinue();
    const review = parseReview(await readBody(request, bodyLimit));
    const call = { webhook, headers: joinHeaders(headers), sslpeer, timeout: readTimeout(url) };
    return this.review(review, call, request.socket, response);
  }

  /** Asks for the review, as long as anybody waits for it. */
  private async review(
    review: unknown,
    call: AdmissionCall,
    socket: Socket,
    response: ServerResponse,
  ): Promise<ReviewAnswer> {
    const { clock, answerTimeout } = this.options;
    const waiting = this.waitingOf(socket);
    const abandonment = new Deferred<never>();
    const giveUp = (error: AdmissionRequestError): void => {
      this.waiting.delete(socket);
      response.shouldKeepAlive = false;
      waiting.abort(error);
      abandonment.reject(error);
    };
    const onClose = (): void => giveUp(new AdmissionRequestError('The client does not wait any longer.', 499));
    const onTimeout = (): void => giveUp(new AdmissionRequestError('There was no decision in time.', 504));
    const timer = clock.setTimer(onTimeout, answerTimeout * 1000);
    response.once('close', onClose);
    try {
      return await Promise.race([this.ask(review, { ...call, signal: waiting.signal }), abandonment.promise]);
    } finally {
      timer.cancel();
      response.off('close', onClose);
    }
  }

  private waitingOf(socket: Socket): AbortController {
    let waiting = this.waiting.get(socket);
    if (!waiting) {
      waiting = new AbortController();
      // Each review in progress listens to it; clients can send several without waiting for answers.
      setMaxListeners(0, waiting.signal);
      this.waiting.set(socket, waiting);
    }
    return waiting;
  }

  /** Also of a reviewer that throws at once, an error is one of its answer. */
  private async ask(review: unknown, call: AdmissionCall): Promise<ReviewAnswer> {
    return this.options.review(review, call);
  }

  private identify(socket: Socket): ClientCertificate | undefined {
    const { verifyMode } = this.options;
    if (verifyMode === 'none') return undefined;
    if (!this.certificates.has(socket)) this.certificates.set(socket, readClientCertificate(socket));
    const certificate = this.certificates.get(socket);
    if (certificate ? !certificate.isVerified : verifyMode === 'required') {
      throw new AdmissionRequestError("The client's certificate is missing, or not by a trusted authority.", 403);
    }
    return certificate;
  }

  private sendFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { logger } = this.options;
    if (error instanceof AdmissionRequestError) {
      logger.debug(() => `A request for admission was refused: ${error.status} ${error.message}`);
    } else logger.error('A request for admission has failed.', error);
    const failure = createFailureStatus(error);
    if (failure.code === 405) response.setHeader('allow', 'POST');
    if (failure.details) response.setHeader('retry-after', String(failure.details.retryAfterSeconds));
    // The client may send the announced body or not, so it is unknown where the next request begins.
    if (request.headers.expect && !request.complete) response.shouldKeepAlive = false;
    reply(response, failure.code, JSON.stringify(failure));
    // A client that is still sending reads the answer only then; how long that may take is limited by the server.
    request.resume();
  }
}

function reply(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
