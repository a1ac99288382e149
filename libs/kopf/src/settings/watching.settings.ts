import { IsNumber, IsOptional, Min } from 'class-validator';

/** How the API server is watched. All durations are in seconds; `null` means no limit of ours. */
export class WatchingSettings {
  /** The longest duration of one watch request as asked of the server. @default null */
  @IsOptional() @IsNumber() @Min(0) serverTimeout: number | null = null;

  /** The longest duration of one watch request on our side. @default null */
  @IsOptional() @IsNumber() @Min(0) clientTimeout: number | null = null;

  /** The longest duration of a connection attempt for a watch. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /** The pause before a closed watch is opened again. @default 0.1 */
  @IsNumber() @Min(0) reconnectBackoff = 0.1;

  /** A watch without any line for so long, not even a bookmark, counts as dead and is opened again. @default 70 */
  @IsNumber() @Min(0) inactivityTimeout = 70;

  /** How many objects a page of a listing has. @default 500 */
  @IsNumber() @Min(1) pageSize = 500;
}
