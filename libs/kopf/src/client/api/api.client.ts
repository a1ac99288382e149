import { ApiClientError, ApiError, ApiUnauthorizedError, ConnectionError } from './api.errors.js';
import { LoginError, describeServer } from '../vault/connection-info.js';
import {
  type Clock,
  type KubeRequest,
  type KubeResponse,
  parseJson,
  sleep,
  stringifyJson,
  TimerHeap,
  unlessAborted,
} from 'kube-common';
import { type KubeList, fillKinds } from './kube.list.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { FencedRequestError } from '../http/fenced-request.error.js';
import { createUserAgent } from '../http/http.transport.js';
import { fenceOf, passFence, type RequestFence } from '../../common/request.fence.js';
import { Redactor } from '../../resources/redactor.js';
import type { Resource } from '../../resources/resources.js';
import { checkObjectPath, checkPath } from '../../resources/object.names.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { NetworkingSettings } from '../../settings/client.settings.js';
import { createApiError, createConnectionError } from './api.error.factory.js';
import { hasSubscribers, KOPF_CHANNELS, OperatorIdentity } from '../../diagnostics/channels.js';
import { sendFollowed } from './request.diagnostics.js';
import { describeRequest, withTimeout } from './request.timeout.js';
import { RequestBudget } from '../http/request.budget.js';
import { isRepeatable, isOutcomeUnknown, isRetriable, retryDelay, type RetryScope } from '../http/retry.policy.js';
import type { Vault } from '../vault/vault.js';
import type { VaultItem } from '../vault/vault.item.js';

/** The options of one API call. */
export interface ApiCallOptions {
  /** Ends the call when it is aborted, with its retries and pauses. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Which failures are retried as the settings say; `false` for none. @default 'default' */
  readonly retries?: RetryScope | false;
  /** The seconds before each retry; there are as many retries as delays. @default the settings' `errorBackoffs` */
  readonly backoffs?: readonly number[];
  /**
   * Whether a request is also repeated if the server has answered with an error and may have carried it out nevertheless, so that it may
   * take effect twice. @default false
   */
  readonly repeatsAnswered?: boolean;
  /** The time limit of one attempt in seconds, if it is shorter than usual. @default the settings' request timeout */
  readonly timeout?: number;
  /** Whether the request is sent at once, even if the request budget or all connections are used up and other requests wait. @default false */
  readonly urgent?: boolean;
  /** The fence that lets an attempt pass or not, right before it is sent. @default the fence of the signal */
  readonly fence?: RequestFence;
  /** Additional headers; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The logger of the retries. @default the client's logger */
  readonly logger?: KopfLogger;
  /** Called before a request is repeated that the server may have carried out already, as only the response was lost. */
  readonly onRepeat?: () => void;
  /** Called with the error of each attempt that is followed by another one. */
  readonly onRetry?: (error: unknown) => void;
}

/** A successful response as a text. */
export interface TextAnswer {
  readonly status: number;
  /** The headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type PatchType = 'merge' | 'json' | 'strategic' | 'apply';

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * The most logins for one request that the server rejects. All but the first take a second each, so that a request survives an API server
 * that rejects all credentials for some seconds.
 */
const LOGINS_PER_REQUEST = 10;

/**
 * The client of the API server for requests in JSON, with the current credentials, and with retries as the settings say.
 *
 * Connection errors, timeouts, and the statuses 5xx, 403, and 429 are retried; after 401, the client logs in and tries again, for some
 * seconds. A failure that persists by the server's message, such as that of a conversion webhook, is reported after two seconds. A request
 * that the server may have carried out, as its response was lost, is repeated only if this does no harm: see {@link isRepeatable}. All
 * calls reject with an `ApiError` by the status, a `ConnectionError`, or a `LoginError`; and with a `TypeError`, before a request is sent,
 * if a name in the path is empty or leads to another path.
 *
 * @example
 * const pod = await api.get<KubeObject>('/api/v1/namespaces/default/pods/web');
 */
export class KubeApi {
  /** The resources that the last scan of the API has found; absent before the first scan. */
  knownResources?: readonly Resource[];
  private readonly budget: RequestBudget;
  /** The time limits of all requests, on one timer of the clock: a request that is answered costs it nothing. */
  private readonly limits: TimerHeap;
  private userAgent?: string;

  constructor(
    private readonly vault: Vault,
    private readonly settings: NetworkingSettings,
    /** The clock that measures durations. */
    readonly clock: Clock,
    private readonly logger: KopfLogger,
    /** The operator that makes the requests. */
    readonly operator = new OperatorIdentity(),
    /** The redactor of values that log lines and errors must not show. */
    readonly redactor = new Redactor(),
  ) {
    this.budget = new RequestBudget(settings, clock);
    this.limits = new TimerHeap(clock);
  }

  /** The namespace of the credentials in use, if they have one. */
  get defaultNamespace(): string | undefined {
    return this.vault.defaultNamespace;
  }

  get<T = unknown>(path: string, options?: ApiCallOptions): Promise<T> {
    return this.request('GET', path, undefined, options);
  }

  /** Gets one page of a list. Its items get the kind and the API version, which servers omit in lists. */
  async list<T extends KubeObject = KubeObject>(path: string, options?: ApiCallOptions): Promise<KubeList<T>> {
    return fillKinds(await this.request<KubeList<T>>('GET', path, undefined, options));
  }

  post<T = unknown>(path: string, payload: unknown, options?: ApiCallOptions): Promise<T> {
    return this.request('POST', path, payload, options);
  }

  put<T = unknown>(path: string, payload: unknown, options?: ApiCallOptions): Promise<T> {
    return this.request('PUT', path, payload, options);
  }

  patch<T = unknown>(path: string, type: PatchType, payload: unknown, options?: ApiCallOptions): Promise<T> {
    const headers = { ...options?.headers, 'content-type': PATCH_TYPES[type] };
    return this.request('PATCH', path, payload, { ...options, headers });
  }

  delete<T = unknown>(path: string, payload?: unknown, options?: ApiCallOptions): Promise<T> {
    return this.request('DELETE', path, payload, options);
  }

  /**
   * Opens a response without an end: a watch, or a log that is tailed. There are no retries, and no time limit but the signal.
   *
   * @returns a successful response, whose body is not read yet.
   */
  stream(path: string, options: Pick<ApiCallOptions, 'signal' | 'headers'> = {}): Promise<KubeResponse> {
    const { signal } = options;
    const headers: Record<string, string> = { ...(options.headers ?? { accept: 'application/json' }) };
    return this.authenticated('GET', path, { signal }, async (item) => {
      const request = { method: 'GET', path, headers, signal, streaming: true };
      const response = await this.transmit(item, request);
      if (response.status < 300) return response;
      throw await this.readError('GET', path, response);
    });
  }

  /**
   * Makes a request with any method. Only requests that read or create may have the path of a collection: nothing is deleted or changed
   * without the name of an object.
   *
   * @param payload the body, sent as JSON; none if `undefined`.
   * @returns the parsed body; `undefined` if it is empty.
   */
  request<T>(method: string, path: string, payload?: unknown, options: ApiCallOptions = {}): Promise<T> {
    let body: string | undefined;
    try {
      if (method !== 'GET' && method !== 'POST') checkObjectPath(method, path);
      if (payload !== undefined) body = stringifyJson(payload);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const read = (text: string): T => (text ? this.parse<T>(method, path, text) : (undefined as T));
    return this.persist(method, path, body, options, read);
  }

  /**
   * Makes a request with any method and a text as its body.
   *
   * @param body sent as JSON, unless the headers have another content type.
   */
  send(method: string, path: string, body?: string, options: ApiCallOptions = {}): Promise<TextAnswer> {
    return this.persist(method, path, body, options, (text, { status, headers }) => ({ status, headers, text }));
  }

  private async persist<T>(
    method: string,
    path: string,
    body: string | undefined,
    given: ApiCallOptions,
    read: (text: string, response: KubeResponse) => T,
  ): Promise<T> {
    const options = withFence(given);
    const logger = options.logger ?? this.logger;
    let hasLostAnswer = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.authenticated(method, path, options, (item) =>
          this.exchange(item, method, path, body, options, read),
        );
        if (attempt > 1) logger.log(() => `Succeeded at attempt ${attempt}: ${describeRequest(method, path)}`);
        return result;
      } catch (error) {
        if (hasLostAnswer && error instanceof ApiError) error.afterLostAnswer = true;
        const delay = this.decideDelay(attempt, error, options);
        if (delay === undefined) throw error;
        if (isOutcomeUnknown(error)) {
          hasLostAnswer = true;
          const isHarmless = options.repeatsAnswered && error instanceof ApiError;
          if (!isHarmless && !isRepeatable({ method, path, headers: options.headers, body })) throw error;
        }
        if (isOutcomeUnknown(error)) options.onRepeat?.();
        options.onRetry?.(error);
        const level = attempt === 1 ? 'warn' : 'debug';
        logger[level](() => `Attempt ${attempt} failed, the next one is in ${delay} s: ${(error as Error).message}`);
        await this.pause(delay, options.signal);
      }
    }
  }

  /** Waits before the next attempt. @throws the reason of the signal, or an error if the operator has stopped */
  private async pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
    const { closed } = this.vault;
    const ending = signal ? AbortSignal.any([signal, closed]) : closed;
    if (!(await sleep(this.clock, seconds, ending))) throw ending.reason;
  }

  private decideDelay(attempt: number, error: unknown, options: ApiCallOptions): number | undefined {
    const { retries = 'default', signal, backoffs } = options;
    if (retries === false || signal?.aborted || !isRetriable(error, retries)) return undefined;
    return retryDelay(this.settings, attempt, error, backoffs);
  }

  /** Makes one attempt, and repeats it only if the server does not accept the credentials. */
  private async authenticated<T>(
    method: string,
    path: string,
    { signal, urgent, fence, retries }: ApiCallOptions,
    attempt: (item: VaultItem) => Promise<T>,
  ): Promise<T> {
    checkPath(method, path);
    for (let logins = 0; ; logins++) {
      signal?.throwIfAborted();
      const slot = this.budget.take(signal, urgent);
      if (slot) await slot;
      const item = this.vault.current() ?? (await this.patiently(this.vault.acquire(), signal));
      if (fence && !fence.isOpen) await passFence(fence);
      try {
        const result = await attempt(item);
        if (this.vault.isDoubted) this.vault.confirm(item);
        return result;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (error instanceof FencedRequestError) {
          logins -= 1;
          continue;
        }
        if (!(error instanceof ApiUnauthorizedError)) {
          // The server must have accepted the credentials in order to reject the request for another reason.
          if (this.vault.isDoubted && error instanceof ApiClientError) this.vault.confirm(item);
          throw this.explain(error, method, path, item);
        }
        const isLast = logins >= (retries === false ? 1 : LOGINS_PER_REQUEST);
        const login = this.vault.invalidate(item, error);
        if (!isLast) {
          await this.patiently(login, signal);
          continue;
        }
        // Other requests wait for the login, this one does not.
        login.catch(() => undefined);
        throw new LoginError('The API server does not accept any of the new credentials.', { cause: error });
      }
    }
  }

  /** Waits for a login, until the signal is aborted. */
  private async patiently<T>(login: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return signal ? unlessAborted(login, signal) : login;
  }

  private exchange<T>(
    item: VaultItem,
    method: string,
    path: string,
    body: string | undefined,
    options: ApiCallOptions,
    read: (text: string, response: KubeResponse) => T,
  ): Promise<T> {
    const { timeout = this.settings.requestTimeout, signal, fence } = options;
    // The transport frees a connection that no code waits for, if the signal does not.
    const limits = { timeout, signal, aborts: options.timeout !== undefined, method, path };
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (options.headers) Object.assign(headers, options.headers);
    return withTimeout(this.limits, limits, async (limit, state) => {
      // A request that still waits for a connection after its timeout must not be sent after its repetition.
      const isFenced = (): boolean => state.isGivenUp || fence?.isOpen === false;
      const request = { method, path, headers, body, signal: limit, isFenced, urgent: options.urgent };
      const response = await this.transmit(item, request);
      if (response.status >= 300) throw await this.readError(method, path, response);
      const text = response.text();
      return read(typeof text === 'string' ? text : await text, response);
    });
  }

  private transmit(
    item: VaultItem,
    request: KubeRequest & { readonly headers: Record<string, string> },
  ): Promise<KubeResponse> {
    // A transport of the user's, such as one into the same process, need not know whose requests it sends.
    if (item.info.transport) request.headers['user-agent'] ??= this.userAgent ??= createUserAgent();
    const { requestStart, requestEnd } = KOPF_CHANNELS;
    if (!hasSubscribers(requestStart, requestEnd)) return item.transport.request(request);
    return sendFollowed(item, request, this.operator, this.clock);
  }

  private async readError(method: string, path: string, response: KubeResponse): Promise<Error> {
    const { status, headers } = response;
    const answer = { method, path, status, headers, text: await response.text() };
    return createApiError(answer, this.clock.now(), this.redactor.protectsPath(path));
  }

  private parse<T>(method: string, path: string, text: string): T {
    try {
      return parseJson(text) as T;
    } catch {
      throw new ConnectionError(`${describeRequest(method, path)}: the answer is not JSON`);
    }
  }

  private explain(error: unknown, method: string, path: string, item: VaultItem): unknown {
    return createConnectionError(describeRequest(method, path), describeServer(item.info.server), error);
  }
}

/** Adds the fence of the signal, unless the options have a fence. */
function withFence(options: ApiCallOptions): ApiCallOptions {
  const { signal, fence } = options;
  const own = signal && !fence ? fenceOf(signal) : undefined;
  return own ? { ...options, fence: own } : options;
}
