import { IsNumber, Min } from 'class-validator';

/** How handlers are called. */
export class ExecutionSettings {
  /** Seconds until a handler is retried after an arbitrary error, unless the handler has its own `backoff`. @default 60 */
  @IsNumber() @Min(0) defaultBackoff = 60;
}
