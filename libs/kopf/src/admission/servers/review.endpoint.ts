import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { joinHeaders } from '../../client/http/raw.headers.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import type { AdmissionCall, AdmissionReviewer, ClientCertificate } from '../../reviews/admission.review.js';
import { type Clock, Deferred, stringifyJson } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import {
  createFailureStatus,
  readBody,
  checkRequest,
  parseReview,
  readTimeout,
  readWebhookId,
} from './request.checks.js';

type ReviewAnswer = Awaited<ReturnType<AdmissionReviewer>>;

/** The options of an endpoint, which are read for each request: an application knows its routes late, and settings can change. */
export interface ReviewEndpointOptions {
  readonly review: AdmissionReviewer;
  /** The path of all webhooks, without a slash at its end; can be empty. */
  readonly path: string;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** The seconds that an answer may take. @default as long as the reviewer allows */
  readonly answerTimeout?: number;
  /**
   * Returns the certificate of the client of a connection, if it has one.
   *
   * @throws AdmissionRequestError if the client must not send reviews.
   */
  readonly identify: (socket: Socket) => ClientCertificate | undefined;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** The HTTP response to a review. Its body is JSON. */
export interface ReviewResponse {
  readonly status: number;
  /** The headers besides those of the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * The one entrance of reviews, for the HTTP servers of the operator and of the application. It decides which requests are reviews, and
 * answers all others with a status, in which errors of the operator have no details.
 */
export class ReviewEndpoint {
  /** The aborts of connections that wait for answers; one for each connection, as making them is expensive. */
  private readonly waiting = new WeakMap<object, AbortController>();

  constructor(private readonly options: ReviewEndpointOptions) {}

  /** Answers a request of a server of Node that leaves everything to the endpoint; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = (): Promise<unknown> => {
      const { expect, 'content-length': length } = request.headers;
      if (expect && !(Number(length) > this.options.bodyLimit)) response.writeContinue();
      return this.read(request);
    };
    this.send(request, response, await this.answer(request, response, read));
  }

  /**
   * Answers a request, and leaves it to the caller to send the response; never rejects.
   *
   * @param read returns the parsed review of the request, once its headers and its client were checked.
   */
  async answer(request: IncomingMessage, response: ServerResponse, read: () => unknown): Promise<ReviewResponse> {
    try {
      const { url = '/', headers, socket } = request;
      const webhook = readWebhookId(url, this.options.path);
      checkRequest(request);
      const sslpeer = this.options.identify(socket);
      const review = await read();
      const call = { webhook, headers: joinHeaders(headers), sslpeer, timeout: readTimeout(url) };
      // Objects can have integers that no other serialization keeps exactly.
      return { status: 200, headers: {}, text: stringifyJson(await this.review(review, call, request, response))! };
    } catch (error) {
      return this.refuse(error);
    }
  }

  /**
   * Reads the review of a request whose body nothing else has read.
   *
   * @throws AdmissionRequestError if it is too large, or no JSON.
   */
  async read(request: IncomingMessage): Promise<unknown> {
    return parseReview(await readBody(request, this.options.bodyLimit));
  }

  /** Logs the error of a request, and makes its response. */
  refuse(error: unknown): ReviewResponse {
    const { logger } = this.options;
    if (error instanceof AdmissionRequestError) {
      logger.debug(() => `A request for admission was refused: ${error.status} ${error.message}`);
    } else logger.error('A request for admission has failed.', error);
    const failure = createFailureStatus(error);
    return {
      status: failure.code,
      headers: {
        ...(failure.code === 405 && { allow: 'POST' }),
        ...(failure.details && { 'retry-after': String(failure.details.retryAfterSeconds) }),
      },
      text: JSON.stringify(failure),
    };
  }

  /** Sends a response by a server of Node. */
  send(request: IncomingMessage, response: ServerResponse, { status, headers, text }: ReviewResponse): void {
    const isRefused = status !== 200;
    // The client may send the announced body or not, so it is unknown where the next request begins.
    if (isRefused && request.headers.expect && !request.complete) response.shouldKeepAlive = false;
    reply(response, status, headers, text);
    // A client that is still sending reads the answer only then; how long that may take is limited by the server.
    if (isRefused) request.resume();
  }

  /** Asks the reviewer, as long as the client waits for the answer. */
  private async review(
    review: unknown,
    call: AdmissionCall,
    { httpVersionMajor, socket }: IncomingMessage,
    response: ServerResponse,
  ): Promise<ReviewAnswer> {
    const { clock, answerTimeout } = this.options;
    // A connection of HTTP/2 outlives the requests that its client gives up.
    const connection = httpVersionMajor >= 2 ? response : socket;
    const waiting = this.waitingOf(connection);
    const abandonment = new Deferred<never>();
    const giveUp = (error: AdmissionRequestError): void => {
      this.waiting.delete(connection);
      response.shouldKeepAlive = false;
      waiting.abort(error);
      abandonment.reject(error);
    };
    const onClose = (): void => giveUp(new AdmissionRequestError('The client does not wait any longer.', 499));
    const onTimeout = (): void => giveUp(new AdmissionRequestError('There was no decision in time.', 504));
    const timer = answerTimeout === undefined ? undefined : clock.setTimer(onTimeout, answerTimeout * 1000);
    response.once('close', onClose);
    try {
      return await Promise.race([this.ask(review, { ...call, signal: waiting.signal }), abandonment.promise]);
    } finally {
      timer?.cancel();
      response.off('close', onClose);
    }
  }

  private waitingOf(connection: object): AbortController {
    let waiting = this.waiting.get(connection);
    if (!waiting) {
      waiting = new AbortController();
      // Each review in progress listens to it; clients can send several without waiting for answers.
      setMaxListeners(0, waiting.signal);
      this.waiting.set(connection, waiting);
    }
    return waiting;
  }

  /** Makes a rejection of what a reviewer throws at once. */
  private async ask(review: unknown, call: AdmissionCall): Promise<ReviewAnswer> {
    return this.options.review(review, call);
  }
}

function reply(response: ServerResponse, status: number, headers: ReviewResponse['headers'], text: string): void {
  if (response.destroyed || response.headersSent) return;
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length });
  response.end(text);
}
