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
import { AdmissionRequestError } from '../review/admission.errors.js';
import { ReviewEndpoint, type ReviewResponse } from '../servers/review.endpoint.js';
import type { KopfAdmissionControllerOptions } from './admission.options.js';
import { ID_WILDCARD } from './admission.route.js';

/** A request on either platform: those of Fastify have the original request of Node inside. */
type AnyRequest = (IncomingMessage | { readonly raw: IncomingMessage }) & { readonly body?: unknown };
type AnyResponse = ServerResponse | { readonly raw: ServerResponse };

/** The filter of errors that guards throw. It answers with a `Status`, as API servers show users no message of anything else. */
@Injectable()
@Catch()
class AdmissionExceptionFilter implements ExceptionFilter {
  constructor(
    @Inject(ReviewEndpoint) private readonly endpoint: ReviewEndpoint,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  catch(exception: unknown, context: ArgumentsHost): void {
    const error =
      exception instanceof HttpException
        ? new AdmissionRequestError(exception.message, exception.getStatus())
        : exception;
    send(this.host, context.switchToHttp().getResponse(), this.endpoint.refuse(error));
  }
}

/** Creates the controller of reviews, whose path and guards are options. */
export function createAdmissionController(options: KopfAdmissionControllerOptions & { path: string }): Type {
  @Controller({ path: options.path, version: VERSION_NEUTRAL })
  class KopfAdmissionController {
    constructor(
      @Inject(ReviewEndpoint) private readonly endpoint: ReviewEndpoint,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    ) {}

    // The answer is sent here, so that no interceptor of the application wraps it.
    @Post(['', ID_WILDCARD])
    async review(@Req() request: AnyRequest, @Res() response: AnyResponse): Promise<void> {
      const read = (): unknown => requireBody(request);
      send(this.host, response, await this.endpoint.answer(rawOf(request), rawOf(response), read));
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

/** Returns Node's request or response. */
function rawOf<T extends object>(one: T | { readonly raw: T }): T {
  return 'raw' in one ? one.raw : one;
}

/** Returns the body, which the application has parsed before. */
function requireBody({ body }: AnyRequest): unknown {
  if (body === undefined || body === null) throw new AdmissionRequestError('The request has no body.', 400);
  return body;
}

function send({ httpAdapter }: HttpAdapterHost, response: unknown, { status, headers, text }: ReviewResponse): void {
  for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
  httpAdapter.setHeader(response, 'content-type', 'application/json; charset=utf-8');
  httpAdapter.reply(response, text, status);
}
