import { IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';
import { parseSelectorsByResource, type SelectorsByResource } from '../resources/selectors-by-resource.js';
import { Rule } from './option.validation.js';

/** The settings of requests to the API server. All durations are in seconds. */
export class NetworkingSettings {
  /** The longest duration of one short request, with its body. @default 300 */
  @IsOptional() @IsNumber() @Min(0) requestTimeout: number | null = 300;

  /** The longest duration of a connection attempt with its handshake; `null` for the operating system's. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /**
   * The delays before the second and each further attempt of a failed request; there are as many retries as delays.
   * @default 1, 1, 2, 3, 5, 8, 13, 21
   */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorBackoffs: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21,
  ];

  /**
   * Whether a retry waits exactly as long as the server's `Retry-After` says, even if the delay in `errorBackoffs` is longer.
   * @default false
   */
  @IsBoolean() enforceRetryAfter = false;

  /** Whether the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY` are used. @default false */
  @IsBoolean() trustEnv = false;

  /** The most connections that short requests share. @default 16 */
  @IsNumber() @Min(1) connections = 16;

  /** The most requests per second on average; further requests wait. `null` for no limit. @default null */
  @IsOptional() @IsPositive() qps: number | null = null;

  /** The most requests at once after an idle time, if `qps` is set. @default as many as in one second */
  @IsOptional() @IsNumber() @Min(1) burst: number | null = null;
}

/** The settings of watches. All durations are in seconds; `null` means no limit by the operator. */
export class WatchingSettings {
  /** The longest duration of one watch request, as requested from the server. @default null */
  @IsOptional() @IsNumber() @Min(0) serverTimeout: number | null = null;

  /** The longest duration of one watch request, enforced by the operator. @default null */
  @IsOptional() @IsNumber() @Min(0) clientTimeout: number | null = null;

  /** The longest duration of a connection attempt for a watch. @default null */
  @IsOptional() @IsNumber() @Min(0) connectTimeout: number | null = null;

  /** The pause before a closed watch is opened again. @default 0.1 */
  @IsNumber() @Min(0) reconnectBackoff = 0.1;

  /** The time without any line, not even a bookmark, after which a watch is opened again. @default 70 */
  @IsNumber() @Min(0) inactivityTimeout = 70;

  /** The number of objects in one page of a list. @default 500 */
  @IsNumber() @Min(1) pageSize = 500;

  /**
   * The number of objects in one page of a list, by Kopf's name for it; if it is given, it has priority over `pageSize`. The number is sent
   * as it is: with 0, API servers send all objects in one response.
   * @default null: `pageSize` objects; Kopf requests all of them at once
   */
  @IsOptional() @IsInt() @Min(0) chunkSize: number | null = null;

  /**
   * Whether the existing objects are requested together with the watch, as a streamed list, and not in pages before it. `'auto'` falls back
   * to pages if the server does not support streamed lists; `true` does not. The operator works the same with both. Streamed lists save
   * memory of the server if objects are large or watches are many; pages take less time, are supported by every server, and an interruption
   * does not lose the pages that have arrived.
   * @default false
   */
  @IsIn(['auto', true, false]) streamedLists: 'auto' | boolean = false;

  /**
   * Whether lists are streamed, by Kopf's name for it: `true` stands for `streamedLists: true`. It has no effect if `streamedLists` is
   * `'auto'` or `true`.
   * @default false
   */
  @IsBoolean() initialStreaming = false;

  /**
   * The label selectors by resources, which the API server evaluates: they are added to all lists and watches of the resource, as they are,
   * also of namespaces and CRDs. Several selectors that match one resource, and those of the handlers, are joined: an object must satisfy
   * all of them. The operator takes an object that ceases to match for a deleted one.
   * @default none
   * @example
   * KopfModule.forRoot({ watching: { labelSelectors: { pods: 'app=web', 'kopfexamples.kopf.dev': '!ignored' } } });
   */
  @Rule(areSelectorsByResource) labelSelectors: SelectorsByResource = [];

  /**
   * The field selectors by resources, as `labelSelectors`.
   * @default none
   * @example
   * KopfModule.forRoot({ watching: { fieldSelectors: [[['v1', 'pods'], 'spec.nodeName=node-1']] } });
   */
  @Rule(areSelectorsByResource) fieldSelectors: SelectorsByResource = [];

  /**
   * The shard selectors by resources: each operator of a group gets its part of the objects from the API server. If several match one
   * resource, the first one counts. All parts together must cover all objects. API servers without `ShardedListAndWatch` ignore them and
   * send all objects. With any shard selector, operators of the same priority do not pause each other in peering.
   * @default none
   * @example
   * const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
   * KopfModule.forRoot({ watching: { shardSelectors: { 'kopfexamples.kopf.dev': half } } });
   */
  @Rule(areSelectorsByResource) shardSelectors: SelectorsByResource = [];
}

/** Returns the number of objects to request in one page of a list; 0 for all objects. */
export function pageLimit({ chunkSize, pageSize }: Pick<WatchingSettings, 'chunkSize' | 'pageSize'>): number {
  return chunkSize ?? pageSize;
}

function areSelectorsByResource(value: unknown): string | undefined {
  try {
    parseSelectorsByResource(value);
    return undefined;
  } catch (error) {
    return `must have a selector for each resource: ${(error as Error).message}`;
  }
}
