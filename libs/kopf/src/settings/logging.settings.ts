import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { LOG_FORMATS, type LogFormat } from '../common/log.formats.js';

/** Configures the lines of the log. Which levels are written is up to Nest's logger. */
export class LoggingSettings {
  /**
   * Says how the application's logger takes what a line is about: the object, the resource, the handler, the attempt, the cause, and
   * the operator.
   *
   * - `text`: not at all; a line is a message for people.
   * - `params`: as an object after the message, as the `ConsoleLogger` of Nest 12 does: `logger.log(message, fields, context)`.
   * - `message`: as one object with the message, as the `ConsoleLogger` of Nest 11 and nest-winston do:
   *   `logger.log({ message, ...fields }, context)`.
   * - `pino`: as an object before the message, as nestjs-pino does: `logger.log(fields, message, context)`.
   * - `auto`: by the logger: a `ConsoleLogger` with `json: true` and nestjs-pino get fields; all others get text.
   *
   * @default 'auto'
   */
  @IsIn(['auto', ...LOG_FORMATS]) format: LogFormat | 'auto' = 'auto';

  /** Puts `[namespace/name]` in front of messages about an object; `null`: where there are no fields. @default null */
  @IsOptional() @IsBoolean() prefix: boolean | null = null;

  /** Names the member of a line that identifies the object, as `--log-refkey` of Kopf does. @default object */
  @IsString() @IsNotEmpty() refKey = 'object';
}
