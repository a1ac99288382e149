import { ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Min } from 'class-validator';
import type { LogLevel } from '../common/kopf.logger.js';
import { must, Rule } from './option.validation.js';

const areBackoffs = must('a number of seconds, or a list of them, not negative', (value) =>
  (Array.isArray(value) ? value : [value]).every((delay) => typeof delay === 'number' && delay >= 0),
);

/** The settings of the operator as a whole. All durations are in seconds. */
export class ProcessSettings {
  /** How long the cleanup handlers are waited for when the operator stops. @default 600 */
  @IsNumber() @Min(0) ultimateExitingTimeout = 600;

  /**
   * The pauses before an operator that is not required starts again after a failure; the last one repeats. All but the first are shortened
   * at random, by up to a half. Startup handlers cannot change this setting.
   * @default 1, 2, 4, 8, 16, 32, 60
   */
  @IsArray() @ArrayNotEmpty() @IsNumber({}, { each: true }) @Min(0.1, { each: true }) startBackoffs: readonly number[] =
    [1, 2, 4, 8, 16, 32, 60];
}

/** The settings of observing the resources and namespaces of the cluster. */
export class ScanningSettings {
  /** Whether namespaces and resources are read only once, at the start. @default false */
  @IsBoolean() disabled = false;
}

/** The settings of Kubernetes events about objects. All durations are in seconds. */
export class PostingSettings {
  /** Whether events are posted. @default true */
  @IsBoolean() enabled = true;

  /** Whether log lines about an object are posted as its events, too. @default false */
  @IsBoolean() loggers = false;

  /** The lowest level that is posted, of log lines, and of events by `info`, `warn`, and `exception`. @default 'log' */
  @IsIn(['debug', 'log', 'warn', 'error']) level: LogLevel = 'log';

  /** The most events that wait to be posted, or to be retried; further ones are dropped with a warning. @default 1000 */
  @IsNumber() @Min(1) queueLimit = 1000;

  /**
   * The delays before the retries of an event that a handler has posted, unless the call has its own `backoffs`: a list has one delay for
   * each retry, a number is one retry. They replace `networking.errorBackoffs` for these requests. After the last one, the event is dropped
   * with a warning.
   * @default 1, 1, 2, 3, 5, 8, 13, 21
   */
  @Rule(areBackoffs) defaultBackoffs: number | readonly number[] = [1, 1, 2, 3, 5, 8, 13, 21];

  /** The delays before the retries of a log line that is posted as an event, as `defaultBackoffs`. @default 1, 1, 2, 3, 5 */
  @Rule(areBackoffs) loggingBackoffs: number | readonly number[] = [1, 1, 2, 3, 5];

  /**
   * The most objects whose events are posted at the same time, including those whose events are retried; events of other objects wait.
   * `null` for no limit.
   * @default null
   */
  @IsOptional() @IsInt() @Min(1) workerLimit: number | null = null;

  /**
   * How long an object without further events counts towards `workerLimit`, unless another object waits.
   * @default 1
   */
  @IsNumber() @Min(0) idleTimeout = 1;

  /** The `reportingComponent` and `source.component` of the events. @default kopf */
  @IsString() reportingComponent = 'kopf';

  /** The `reportingInstance` of the events. @default dev */
  @IsString() reportingInstance = 'dev';

  /** The prefix of the events' generated names. @default kopf-event- */
  @IsString() eventNamePrefix = 'kopf-event-';
}
