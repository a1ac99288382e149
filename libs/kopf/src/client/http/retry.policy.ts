import {
  ApiError,
  ApiForbiddenError,
  ApiServerError,
  ApiTooManyRequestsError,
  ConnectionError,
  isTooLarge,
} from '../api/api.errors.js';
import { backoffDelay } from '../../common/backoff.js';
import type { NetworkingSettings } from '../../settings/client.settings.js';
import type { JsonPatchOperation } from '../../objects/json-patch.js';

/**
 * Selects the failures that are retried: `transient` ones, where the server could not be reached, failed, or is overloaded; by
 * `default` also missing permissions, as new ones take some time to reach all servers.
 */
export type RetryScope = 'default' | 'transient';

/** Checks whether a request that failed with this error can succeed later. */
export function isRetriable(error: unknown, scope: RetryScope): error is ConnectionError | ApiError {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiServerError && !isTooLarge(error)) ||
    error instanceof ApiTooManyRequestsError ||
    (scope === 'default' && error instanceof ApiForbiddenError)
  );
}

/**
 * Matches what API servers say with the status 500 though the same request fails again: an answer of a conversion webhook, a denial by an
 * admission webhook that has chosen this status, an answer of a webhook that is none, or an object that the storage cannot read. What is too large is
 * not retried at all.
 */
const DEFINITE = new RegExp(
  [
    'conversion webhook for .* (failed|returned)\\b',
    'denied (the )?request',
    'received invalid webhook response',
    'data from the storage is not (transformable|decodable)',
  ].join('|'),
  's',
);

/** Matches what they say in the same places if the webhook could not be reached, or was overloaded. */
const TRANSIENT =
  /\b(Post "|dial tcp|connection re(fused|set)|i\/o timeout|context (deadline exceeded|canceled)|EOF\b|no endpoints|TLS handshake|could not get REST client|service unavailable|currently unable to handle|Too Many Requests|timed? ?out)/i;

/** The retries of a failure that is definite as far as the server says: few, as texts of webhooks can mean anything. */
const DEFINITE_RETRIES = { attempts: 2, longest: 1 };

/**
 * Checks whether the server has failed with a reason that stays, as far as its message tells.
 *
 * @example a conversion webhook has answered that it cannot convert the object
 */
export function isDefinite(error: unknown): error is ApiServerError {
  if (!(error instanceof ApiServerError) || error.status !== 500 || error.retryAfter !== undefined) return false;
  const { statusMessage = '' } = error;
  return DEFINITE.test(statusMessage) && !TRANSIENT.test(statusMessage);
}

/**
 * Checks whether the server may have carried out the request though it failed: the answer was lost, or says nothing about it. A
 * server that names a time to ask again has done nothing.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.unsent;
  return error instanceof ApiServerError && error.retryAfter === undefined;
}

/**
 * Seconds to wait before the next attempt. There are few of them after a failure that is definite.
 *
 * @param attempt the number of the attempt that failed, from 1.
 * @returns `undefined` if there are no attempts left.
 */
export function retryDelay(settings: NetworkingSettings, attempt: number, error: unknown): number | undefined {
  const { errorBackoffs, enforceRetryAfter } = settings;
  if (attempt > errorBackoffs.length) return undefined;
  const backoff = backoffDelay(errorBackoffs, attempt);
  if (isDefinite(error)) {
    const { attempts, longest } = DEFINITE_RETRIES;
    return attempt > attempts ? undefined : Math.min(backoff, longest);
  }
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  if (asked === undefined) return backoff;
  return enforceRetryAfter ? asked : Math.max(asked, backoff);
}

/** A request whose answer was lost. */
export interface LostRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * Checks whether a request can be sent again though the server may have carried it out already: a second time has no effect, or
 * the server can tell, and answers with a conflict.
 *
 * It is asked only when an answer was lost, so it can take the time to read the body.
 */
export function isRepeatable({ method, path, headers, body }: LostRequest): boolean {
  if (IDEMPOTENT.has(method) || isDryRun(path)) return true;
  const payload = parse(body);
  if (method === 'POST') return isNamedCreation(path, payload) || isReview(payload);
  if (method !== 'PATCH') return false;
  const isJsonPatch = headers?.['content-type']?.startsWith('application/json-patch+json') ?? Array.isArray(payload);
  return !isJsonPatch || (Array.isArray(payload) && isRepeatablePatch(payload as JsonPatchOperation[]));
}

function parse(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return undefined;
  }
}

function isDryRun(path: string): boolean {
  return /[?&]dryRun=All(&|$)/.test(path);
}

/** An object with a name exists once. Subresources, such as evictions, act anew each time. */
function isNamedCreation(path: string, payload: unknown): boolean {
  const { metadata } = (payload ?? {}) as { metadata?: { name?: unknown } | null };
  return typeof metadata?.name === 'string' && metadata.name !== '' && isCollection(path);
}

function isCollection(path: string): boolean {
  const [, rest = ''] = /^\/api(?:s\/[^/]+)?\/[^/]+\/([^?]*)/.exec(path) ?? [];
  const segments = rest.split('/');
  return segments.length === 1 || (segments.length === 3 && segments[0] === 'namespaces');
}

/** Reviews of access and of tokens are questions, and store nothing. */
function isReview(payload: unknown): boolean {
  const { apiVersion, kind } = (payload ?? {}) as { apiVersion?: unknown; kind?: unknown };
  return /^auth(entication|orization)\.k8s\.io\//.test(String(apiVersion)) && String(kind).endsWith('Review');
}

/** A patch that applies only to one version applies once. Of the others, those are fine that do not shift the items of lists. */
function isRepeatablePatch(operations: readonly JsonPatchOperation[]): boolean {
  const isGuarded = operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
  return isGuarded || operations.every((operation) => hasSameEffectTwice(operation));
}

function hasSameEffectTwice({ op, path }: JsonPatchOperation): boolean {
  if (op === 'test' || op === 'replace') return true;
  return (op === 'add' || op === 'remove') && !/\/(\d+|-)$/.test(path);
}
