import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Controller,
  Inject,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  type Type,
  Catch,
  HttpException,
  Injectable,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { joinHeaders } from '../../client/http/raw.headers.js';
import { ReviewDispatcher } from '../review/review.dispatcher.js';
import { readClientCertificate } from '../servers/client.certificates.js';
import { createFailureStatus, readTimeout, readWebhookId } from '../servers/request.checks.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import { stringifyJson } from 'kube-common';
import type { AdmissionCall } from '../../reviews/admission.review.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { InjectOwn, KOPF_LOGGER } from '../../kopf.tokens.js';
import type { KopfAdmissionControllerOptions } from './admission.options.js';
import { AdmissionRoute, ID_WILDCARD } from './admission.route.js';

/** Describes a request on either platform: Fastify's requests have the original Node request inside. */
type AnyRequest = (IncomingMessage | { readonly raw: IncomingMessage }) & { readonly body?: unknown };
type AnyResponse = ServerResponse | { readonly raw: ServerResponse };

/** The filter that answers what guards have thrown so that API servers can tell their users: they show the message of nothing but a `Status`. */
@Injectable()
@Catch()
class AdmissionExceptionFilter implements ExceptionFilter {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  catch(exception: unknown, context: ArgumentsHost): void {
    const failure = createFailureStatus(this.explain(exception));
    this.host.httpAdapter.reply(context.switchToHttp().getResponse(), failure, failure.code);
  }

  private explain(exception: unknown): unknown {
    if (exception instanceof HttpException) {
      const { message } = exception;
      this.logger.debug(() => `A request for admission was refused: ${message}`);
      return new AdmissionRequestError(message, exception.getStatus());
    }
    this.logger.error('A request for admission has failed.', exception);
    return exception;
  }
}

/** Makes the controller of reviews, as its path and its guards are options. */
export function createAdmissionController(options: KopfAdmissionControllerOptions & { path: string }): Type {
  @Controller({ path: options.path, version: VERSION_NEUTRAL })
  class KopfAdmissionController {
    constructor(
      @InjectOwn(ReviewDispatcher) private readonly admission: ReviewDispatcher,
      @Inject(AdmissionRoute) private readonly route: AdmissionRoute,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
      @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
    ) {}

    // The answer is sent here, so that no interceptor of the application wraps it.
    @Post(['', ID_WILDCARD])
    async review(@Req() request: AnyRequest, @Res() response: AnyResponse): Promise<void> {
      const { httpAdapter } = this.host;
      try {
        const answer = await this.answer(request, 'raw' in response ? response.raw : response);
        // Objects can have integers that no other serialization keeps exactly.
        httpAdapter.setHeader(response, 'content-type', 'application/json; charset=utf-8');
        httpAdapter.reply(response, stringifyJson(answer), 200);
      } catch (error) {
        const failure = createFailureStatus(error);
        if (error instanceof AdmissionRequestError) this.logger.debug(`A review was refused: ${error.message}`);
        else this.logger.error('A review has failed.', error);
        if (failure.details) {
          httpAdapter.setHeader(response, 'retry-after', String(failure.details.retryAfterSeconds));
        }
        httpAdapter.reply(response, failure, failure.code);
      }
    }

    private async answer(request: AnyRequest, response: ServerResponse): Promise<unknown> {
      const raw = 'raw' in request ? request.raw : request;
      if (request.body === undefined || request.body === null) {
        throw new AdmissionRequestError('The request has no body.', 400);
      }
      const gone = new AbortController();
      const onClose = (): void => gone.abort();
      response.once('close', onClose);
      try {
        return await this.admission.answer(request.body, { ...readCall(raw, this.route.base), signal: gone.signal });
      } finally {
        response.off('close', onClose);
      }
    }
  }
  const guarded = [UseGuards(...(options.guards ?? [])), UseFilters(AdmissionExceptionFilter)];
  for (const decorate of [...(options.decorators ?? []), ...guarded, hideFromSwagger])
    decorate(KopfAdmissionController);
  return KopfAdmissionController;
}

/** Sets the metadata of `@ApiExcludeController()`, so that the package of Swagger is not needed. */
function hideFromSwagger(target: object): void {
  Reflect.defineMetadata('swagger/apiExcludeController', [true], target);
}

function readCall(request: IncomingMessage, base: string): AdmissionCall {
  const url = request.url ?? '';
  return {
    webhook: readWebhookId(url, base),
    headers: joinHeaders(request.headers),
    sslpeer: readClientCertificate(request.socket),
    timeout: readTimeout(url),
  };
}
