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
 * The failures that are retried. `transient`: the server could not be reached, has failed, or is overloaded. `default`: also a missing
 * permission, as new permissions take some time to reach all servers.
 */
export type RetryScope = 'default' | 'transient';

/** Whether a request that has failed with this error may succeed later. */
export function isRetriable(error: unknown, scope: RetryScope): error is ConnectionError | ApiError {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiServerError && !isTooLarge(error)) ||
    error instanceof ApiTooManyRequestsError ||
    (scope === 'default' && error instanceof ApiForbiddenError)
  );
}

/**
 * The messages with the status 500 after which the same request fails again: the response of a conversion webhook, a denial by an admission
 * webhook with this status, a malformed response of a webhook, or an object that the storage cannot read. Requests that are too large are
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

/** The messages about webhooks that could not be reached or were overloaded. */
const TRANSIENT =
  /\b(Post "|dial tcp|connection re(fused|set)|i\/o timeout|context (deadline exceeded|canceled)|EOF\b|no endpoints|TLS handshake|could not get REST client|service unavailable|currently unable to handle|Too Many Requests|timed? ?out)/i;

/** The retries of a failure that is definite by the server's message: a few, as the texts of webhooks can have any meaning. */
const DEFINITE_RETRIES = { attempts: 2, longest: 1 };

/**
 * Whether the server has failed for a reason that persists, as far as its message shows.
 *
 * @example a conversion webhook has answered that it cannot convert the object
 */
export function isDefinite(error: unknown): error is ApiServerError {
  if (!(error instanceof ApiServerError) || error.status !== 500 || error.retryAfter !== undefined) return false;
  const { statusMessage = '' } = error;
  return DEFINITE.test(statusMessage) && !TRANSIENT.test(statusMessage);
}

/**
 * Whether the server may have carried out a failed request: the response was lost, or does not say. A server that sends `Retry-After` has
 * not carried it out.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.unsent;
  return error instanceof ApiServerError && error.retryAfter === undefined;
}

/**
 * Computes the seconds before the next attempt. A definite failure has only a few attempts.
 *
 * @param attempt the number of the failed attempt, from 1.
 * @param backoffs the delays in seconds. @default those of the settings
 * @returns `undefined` if there are no attempts left.
 */
export function retryDelay(
  { errorBackoffs, enforceRetryAfter }: NetworkingSettings,
  attempt: number,
  error: unknown,
  backoffs = errorBackoffs,
): number | undefined {
  if (attempt > backoffs.length) return undefined;
  const backoff = backoffDelay(backoffs, attempt);
  if (isDefinite(error)) {
    const { attempts, longest } = DEFINITE_RETRIES;
    return attempt > attempts ? undefined : Math.min(backoff, longest);
  }
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  if (asked === undefined) return backoff;
  return enforceRetryAfter ? asked : Math.max(asked, backoff);
}

/** A request whose response was lost. */
export interface LostRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * Whether a request can be repeated that the server may have carried out: the repetition has no effect, or the server detects it, and
 * answers with a conflict.
 *
 * It is checked only after a lost response, so it may take the time to parse the body.
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

/** Whether a request creates an object with a name, which can exist only once. Subresources, such as evictions, act again each time. */
function isNamedCreation(path: string, payload: unknown): boolean {
  const { metadata } = (payload ?? {}) as { metadata?: { name?: unknown } | null };
  return typeof metadata?.name === 'string' && metadata.name !== '' && isCollection(path);
}

function isCollection(path: string): boolean {
  const [, rest = ''] = /^\/api(?:s\/[^/]+)?\/[^/]+\/([^?]*)/.exec(path) ?? [];
  const segments = rest.split('/');
  return segments.length === 1 || (segments.length === 3 && segments[0] === 'namespaces');
}

/** Whether a request is a review of access or of a token, which stores nothing. */
function isReview(payload: unknown): boolean {
  const { apiVersion, kind } = (payload ?? {}) as { apiVersion?: unknown; kind?: unknown };
  return /^auth(entication|orization)\.k8s\.io\//.test(String(apiVersion)) && String(kind).endsWith('Review');
}

/**
 * Whether a JSON patch can be repeated: one that applies only to one version applies once; others, if they do not shift the items of lists.
 */
function isRepeatablePatch(operations: readonly JsonPatchOperation[]): boolean {
  const isGuarded = operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
  return isGuarded || operations.every((operation) => hasSameEffectTwice(operation));
}

function hasSameEffectTwice({ op, path }: JsonPatchOperation): boolean {
  if (op === 'test' || op === 'replace') return true;
  return (op === 'add' || op === 'remove') && !/\/(\d+|-)$/.test(path);
}
