import { IsNumber, Min } from 'class-validator';

/** How the operator as a whole behaves. All durations are in seconds. */
export class ProcessSettings {
  /** How long the cleanup handlers are waited for when the operator stops. @default 600 */
  @IsNumber() @Min(0) ultimateExitingTimeout = 600;
}
