import { ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsNumber, IsString, Min } from 'class-validator';
import type { LogLevel } from '../common/kopf.logger.js';

/** Configures the operator as a whole. All durations are in seconds. */
export class ProcessSettings {
  /** Limits how long the cleanup handlers are waited for when the operator stops. @default 600 */
  @IsNumber() @Min(0) ultimateExitingTimeout = 600;

  /**
   * Sets the pauses before an operator that is not required starts again after it has failed; the last one repeats. All but the
   * first are shortened by up to a half at random. Startup handlers cannot change it. @default 1, 2, 4, 8, 16, 32, 60
   */
  @IsArray() @ArrayNotEmpty() @IsNumber({}, { each: true }) @Min(0.1, { each: true }) startBackoffs: readonly number[] =
    [1, 2, 4, 8, 16, 32, 60];
}

/** Configures how the cluster's resources and namespaces are observed. */
export class ScanningSettings {
  /** Reads namespaces and resources once at the start only, and does not observe them. @default false */
  @IsBoolean() disabled = false;
}

/** Configures how Kubernetes events are posted about objects. */
export class PostingSettings {
  /** Posts events. @default true */
  @IsBoolean() enabled = true;

  /** Posts log lines of an object as its events, too. @default false */
  @IsBoolean() loggers = false;

  /** The lowest level of what is posted: of log lines, and of events by `info`, `warn`, and `exception`. @default 'log' */
  @IsIn(['debug', 'log', 'warn', 'error']) level: LogLevel = 'log';

  /** Limits how many events can wait to be posted; beyond it, new ones are dropped with a warning. @default 1000 */
  @IsNumber() @Min(1) queueLimit = 1000;

  /** `reportingComponent` and `source.component` of the events. @default kopf */
  @IsString() reportingComponent = 'kopf';

  /** `reportingInstance` of the events. @default dev */
  @IsString() reportingInstance = 'dev';

  /** The prefix of the events' generated names. @default kopf-event- */
  @IsString() eventNamePrefix = 'kopf-event-';
}
