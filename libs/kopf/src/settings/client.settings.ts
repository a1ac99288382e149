import { IsArray, IsBoolean, IsIn, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';

/** How requests are sent to the API server. All durations are in seconds. */
export class NetworkingSettings {
  /** The longest duration of one short request, with its body. @default 300 */
  @IsOptional() @IsNumber() @Min(0) requestTimeout: number | null = 300;

  /** The longest duration of a connection attempt with its handshake; `null` for the operating system's. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /** Delays before the second and the next attempts of a failed request; as many retries as there are delays. @default 1, 1, 2, 3, 5, 8, 13, 21 */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorBackoffs: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21,
  ];

  /** Whether a server's `Retry-After` is waited for exactly, even if the own delay is longer. @default false */
  @IsBoolean() enforceRetryAfter = false;

  /** Whether the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY` are used. @default false */
  @IsBoolean() trustEnv = false;

  /** How many connections short requests share. @default 16 */
  @IsNumber() @Min(1) connections = 16;

  /** How many requests are sent per second in the long run; more have to wait for their turn. `null` for no limit. @default null */
  @IsOptional() @IsPositive() qps: number | null = null;

  /** How many requests can be sent at once after a quiet time, if their number is limited. @default as many as in one second */
  @IsOptional() @IsNumber() @Min(1) burst: number | null = null;
}

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
