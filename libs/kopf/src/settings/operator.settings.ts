import { IsBoolean, IsIn, IsNumber, IsString, Min } from 'class-validator';
import type { LogLevel } from '../common/logger.interface.js';

/** How the operator as a whole behaves. All durations are in seconds. */
export class ProcessSettings {
  /** How long the cleanup handlers are waited for when the operator stops. @default 600 */
  @IsNumber() @Min(0) ultimateExitingTimeout = 600;
}

/** How the cluster's own setup is observed. */
export class ScanningSettings {
  /** Whether namespaces and resources are looked up once at the start only, not observed. @default false */
  @IsBoolean() disabled = false;
}

/** How Kubernetes events are posted about objects. */
export class PostingSettings {
  /** Whether events are posted at all. @default true */
  @IsBoolean() enabled = true;

  /** Whether log lines of an object are posted as its events too. @default false */
  @IsBoolean() loggers = false;

  /** The lowest level of what is posted: of log lines, and of events by `info`, `warn`, and `exception`. @default 'log' */
  @IsIn(['debug', 'log', 'warn', 'error']) level: LogLevel = 'log';

  /** How many events can wait for being posted; beyond it new ones are dropped with a warning. @default 1000 */
  @IsNumber() @Min(1) queueLimit = 1000;

  /** `reportingComponent` and `source.component` of the events. @default kopf */
  @IsString() reportingComponent = 'kopf';

  /** `reportingInstance` of the events. @default dev */
  @IsString() reportingInstance = 'dev';

  /** The prefix of the events' generated names. @default kopf-event- */
  @IsString() eventNamePrefix = 'kopf-event-';
}
