import { IsIn, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';

/** How handlers are called. */
export class ExecutionSettings {
  /** Seconds until a handler is retried after an arbitrary error, unless the handler has its own `backoff`. @default 60 */
  @IsNumber() @Min(0) defaultBackoff = 60;

  /**
   * What happens when an object changes while some of its handlers wait for their next attempts: those that have finished are
   * not called for it, as in Kopf, or they are called again, with the difference to what they have seen. With `repeat`,
   * every handler is shown the last state; each record of progress holds one or two essences of the object for that. @default 'ignore'
   */
  @IsIn(['ignore', 'repeat']) lateChanges: 'ignore' | 'repeat' = 'ignore';

  /**
   * Seconds after which a handler that has not returned is named in a warning, as its object is not handled any further meanwhile;
   * `null` for never. Daemons run as long as they want. @default 600
   */
  @IsOptional() @IsNumber() @IsPositive() slowHandlerWarning: number | null = 600;
}
