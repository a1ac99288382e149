import type { IncomingMessage, ServerResponse } from 'node:http';
import { Catch, HttpException, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { SAFE_HEADERS } from './server/console.headers.js';
import { createErrorPage, wantsPage } from './server/error.page.js';

const HINT =
  'A guard of the application has rejected the request. Sign in to the application first; or exempt the console from the guard, and give ' +
  'it a sign-in of its own, by the options decorators and signIn of KopfConsoleModule.';

/** Shows in a browser why a guard of the application has rejected a request for the console: as a page, and not as JSON. */
@Catch(HttpException)
export class RejectionFilter extends BaseExceptionFilter<HttpException> {
  override catch(exception: HttpException, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<IncomingMessage | { readonly raw: IncomingMessage }>();
    const response = http.getResponse<ServerResponse | { readonly raw: ServerResponse; hijack(): unknown }>();
    if (!wantsPage('raw' in request ? request.raw : request)) return super.catch(exception, host);
    if ('raw' in response) response.hijack();
    const raw = 'raw' in response ? response.raw : response;
    const status = exception.getStatus();
    raw.writeHead(status, { ...SAFE_HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    raw.end(createErrorPage(status, [exception.message, ...(status === 401 || status === 403 ? [HINT] : [])]));
  }
}
