import { IsArray, IsNumber, IsOptional, Min } from 'class-validator';

/** How events wait for being processed. All durations are in seconds. */
export class QueueingSettings {
  /** How many objects are processed at the same time; `null` for all. @default null */
  @IsOptional() @IsNumber() @Min(1) workerLimit: number | null = null;

  /** The same for the objects of each resource, so that one that comes in masses leaves room for others; `null` for all. @default null */
  @IsOptional() @IsNumber() @Min(1) workerLimitPerKind: number | null = null;

  /** How long the work in progress can go on when the operator stops. @default 2 */
  @IsNumber() @Min(0) exitTimeout = 2;

  /** For how long an object is left alone after unexpected errors in a row; the last delay repeats; without any, it is left alone until its next event. @default 1, 1, 2, 3, 5, 8, …, 610 */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorDelays: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610,
  ];
}
