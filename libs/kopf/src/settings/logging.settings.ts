import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { LOG_FORMATS, type LogFormat } from '../common/log.formats.js';

/** The settings of log lines. Nest's logger decides which levels are written. */
export class LoggingSettings {
  /**
   * How the fields of a line are passed to the application's logger: the object, the resource, the handler, the attempt, the cause, and the
   * operator.
   *
   * - `text`: not at all; a line is only a message.
   * - `params`: as an object after the message, as the `ConsoleLogger` of Nest 12 expects: `logger.log(message, fields, context)`.
   * - `message`: as one object with the message, as the `ConsoleLogger` of Nest 11 and nest-winston expect:
   *   `logger.log({ message, ...fields }, context)`.
   * - `pino`: as an object before the message, as nestjs-pino expects: `logger.log(fields, message, context)`.
   * - `auto`: fields for a `ConsoleLogger` with `json: true` and for nestjs-pino; text for all other loggers.
   *
   * @default 'auto'
   */
  @IsIn(['auto', ...LOG_FORMATS]) format: LogFormat | 'auto' = 'auto';

  /** Whether messages about an object begin with `[namespace/name]`; `null` for lines without fields only. @default null */
  @IsOptional() @IsBoolean() prefix: boolean | null = null;

  /** The name of the field that identifies the object, as `--log-refkey` of Kopf. @default object */
  @IsString() @IsNotEmpty() refKey = 'object';
}
