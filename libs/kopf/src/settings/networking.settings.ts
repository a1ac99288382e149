import { IsArray, IsBoolean, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';

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
