import { Catch, HttpException, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { createFailureStatus } from '../servers/failure.status.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { KOPF_LOGGER } from '../../kopf.tokens.js';

/** Answers what guards have thrown so that API servers can tell their users: they show the message of nothing but a `Status`. */
@Injectable()
@Catch()
export class AdmissionExceptionFilter implements ExceptionFilter {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(KOPF_LOGGER) private readonly logger: KopfLogger,
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
