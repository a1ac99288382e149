import { IsArray, IsBoolean, IsIn, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';

/** Configures how requests are sent to the API server. All durations are in seconds. */
export class NetworkingSettings {
  /** The longest duration of one short request, with its body. @default 300 */
  @IsOptional() @IsNumber() @Min(0) requestTimeout: number | null = 300;

  /** The longest duration of a connection attempt with its handshake; `null` for the operating system's. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /** Delays before the second and the next attempts of a failed request; as many retries as there are delays. @default 1, 1, 2, 3, 5, 8, 13, 21 */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorBackoffs: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21,
  ];

  /** Waits exactly as long as a server's `Retry-After` says, even if the own delay is longer. @default false */
  @IsBoolean() enforceRetryAfter = false;

  /** Uses the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY`. @default false */
  @IsBoolean() trustEnv = false;

  /** Limits how many connections short requests share. @default 16 */
  @IsNumber() @Min(1) connections = 16;

  /** Limits the requests per second in the long run; more have to wait. `null` for no limit. @default null */
  @IsOptional() @IsPositive() qps: number | null = null;

  /** Allows so many requests at once after a quiet time, if their number is limited. @default as many as in one second */
  @IsOptional() @IsNumber() @Min(1) burst: number | null = null;
}

/** Configures how the API server is watched. All durations are in seconds; `null` means no limit of ours. */
export class WatchingSettings {
  /** The longest duration of one watch request as asked of the server. @default null */
  @IsOptional() @IsNumber() @Min(0) serverTimeout: number | null = null;

  /** The longest duration of one watch request on our side. @default null */
  @IsOptional() @IsNumber() @Min(0) clientTimeout: number | null = null;

  /** The longest duration of a connection attempt for a watch. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /** The pause before a closed watch is opened again. @default 0.1 */
  @IsNumber() @Min(0) reconnectBackoff = 0.1;

  /** Reopens a watch without any line for so long, not even a bookmark. @default 70 */
  @IsNumber() @Min(0) inactivityTimeout = 70;

  /** Sets how many objects a page of a list has. @default 500 */
  @IsNumber() @Min(1) pageSize = 500;

  /**
   * Requests the existing objects with the watch, as a streamed list, and not in pages before it. `'auto'` falls back to pages
   * where the server does not offer that; `true` insists on it. The operator sees the same either way. Streamed lists spare the
   * server's memory if objects are large or the watchers many; pages take less time here, every server has them, and an
   * interruption does not lose what has come. @default false
   */
  @IsIn(['auto', true, false]) streamedLists: 'auto' | boolean = false;
}
