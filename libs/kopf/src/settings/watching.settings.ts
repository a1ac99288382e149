import { IsIn, IsNumber, IsOptional, Min } from 'class-validator';

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

  /**
   * Whether the existing objects come with the watch, as a streamed list, and not in pages before it. `'auto'` falls back to pages
   * where the server does not offer that; `true` insists on it. What the operator sees is the same either way.
   * Streamed lists spare the server's memory if objects are large or the watchers many; pages take less time
   * here, every server has them, and an interruption does not lose what has come. @default false
   */
  @IsIn(['auto', true, false]) streamedLists: 'auto' | boolean = false;
}
