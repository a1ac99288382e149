import { IsIn, IsNumber, IsOptional, Min } from 'class-validator';

/** How daemons and timers are stopped. All durations are in seconds. */
export class BackgroundSettings {
  /** How often an object that waits for its daemon to exit is looked at, unless the daemon has its own `cancellationPolling`. @default 60 */
  @IsNumber() @Min(0) cancellationPolling = 60;

  /** How long a daemon that was asked to stop is waited for before anything else is done; `null` for some turns of the event loop. @default null */
  @IsOptional() @IsNumber() @Min(0) instantExitTimeout: number | null = null;

  /** How many turns of the event loop a daemon that was asked to stop is waited for, if there is no `instantExitTimeout`; `null` for none. @default 10 */
  @IsOptional() @IsNumber() @Min(0) instantExitZeroTimeCycles: number | null = 10;

  /** How long daemons without a `cancellationTimeout`, and timers, are waited for when the operator stops. @default 5 */
  @IsNumber() @Min(0) exitTimeout = 5;

  /**
   * What a timer does after it has failed for good: it stops for ever, as documented, or it begins anew after its interval,
   * as Kopf does. @default 'stop'
   */
  @IsIn(['stop', 'repeat']) timerFailures: 'stop' | 'repeat' = 'stop';
}
