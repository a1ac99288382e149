import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Controller,
  Get,
  Inject,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  type Type,
} from '@nestjs/common';
import type { KopfConsoleControllerOptions } from './console.options.js';
import { ConsoleService } from './console.service.js';
import { ANY_PATH } from './console.tokens.js';
import { RejectionFilter } from './rejection.filter.js';

/** A request on either platform: Fastify's requests have the original Node request inside. */
type AnyRequest = (IncomingMessage | { readonly raw: IncomingMessage }) & { readonly body?: unknown };

/** A response on either platform: Fastify's must be hijacked so that Fastify does not answer, too. */
type AnyResponse = ServerResponse | { readonly raw: ServerResponse; hijack(): unknown };

/** Makes the controller of the console, as its path and its guards are options. */
export function createConsoleController(
  path: string,
  { guards = [], decorators = [] }: KopfConsoleControllerOptions,
): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class KopfConsoleController {
    constructor(@Inject(ConsoleService) private readonly service: ConsoleService) {}

    @Get(['', ANY_PATH])
    async read(@Req() request: AnyRequest, @Res() response: AnyResponse): Promise<void> {
      await this.answer(request, response);
    }

    @Post('api/actions/:action')
    async act(@Req() request: AnyRequest, @Res() response: AnyResponse): Promise<void> {
      await this.answer(request, response);
    }

    // The answer is sent over Node's own response: it is the same on all platforms, no interceptor wraps it, and it can be a stream.
    private async answer(request: AnyRequest, response: AnyResponse): Promise<void> {
      const raw = 'raw' in request ? request.raw : request;
      if ('raw' in response) response.hijack();
      await this.service.handle(request, raw, request.body, 'raw' in response ? response.raw : response);
    }
  }
  const own = [UseGuards(...guards), UseFilters(RejectionFilter), hideFromSwagger];
  for (const decorate of [...decorators, ...own]) decorate(KopfConsoleController);
  return KopfConsoleController;
}

/** Sets the metadata of `@ApiExcludeController()`, so that the package of Swagger is not needed. */
function hideFromSwagger(target: object): void {
  Reflect.defineMetadata('swagger/apiExcludeController', [true], target);
}
