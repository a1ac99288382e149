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
import { fenceOf, passFence, type RequestFence } from '../../common/request.fence.js';
import { Redactor } from '../../resources/redactor.js';
import type { Resource } from '../../resources/resources.js';
import { checkObjectPath, checkPath } from '../../resources/object.names.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { NetworkingSettings } from '../../settings/client.settings.js';
import { createApiError, createConnectionError } from './api.error.factory.js';
import { hasSubscribers, KOPF_CHANNELS, OperatorIdentity } from '../../diagnostics/channels.js';
import { sendFollowed } from './request.diagnostics.js';
import { withTimeout } from './request.timeout.js';
import { RequestBudget } from '../http/request.budget.js';
import { isRepeatable, isOutcomeUnknown, isRetriable, retryDelay, type RetryScope } from '../http/retry.policy.js';
import type { Vault } from '../vault/vault.js';
import type { VaultItem } from '../vault/vault.item.js';

/** Configures one call of the API. */
export interface ApiCallOptions {
  /** Aborting it ends the call, with its retries and pauses; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Retries failures as the settings say; `false` reports them at once. @default 'default' */
  readonly retries?: RetryScope | false;
  /** Seconds for one attempt, if it is to be less than usual. @default the settings' request timeout */
  readonly timeout?: number;
  /** Sends the request at once, even if the request budget is used up and others wait. @default false */
  readonly urgent?: boolean;
  /** Decides right before each attempt whether it can be sent. @default the fence of the signal */
  readonly fence?: RequestFence;
  /** More headers; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Logs the retries. @default the client's logger */
  readonly logger?: KopfLogger;
  /** Called before the request is sent once more though the server may have done it already, as only the answer was lost. */
  readonly onRepeat?: () => void;
  /** Called with the error of each attempt that is followed by another one. */
  readonly onRetry?: (error: unknown) => void;
}

/** A successful answer as a text. */
export interface TextAnswer {
  readonly status: number;
  /** Header names in lower case. */
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
 * Limits how many logins there are for one request that the server refuses. All but the first take a second each, so that a request survives
 * an API server that refuses everybody for some seconds.
 */
const LOGINS_PER_REQUEST = 10;

/**
 * Requests to the API server in JSON, with the current credentials, retried as the settings say.
 *
 * Connection errors, timeouts, statuses 5xx, 403, and 429 are retried; on 401, there is a login and another try, for some seconds.
 * What API servers say of a failure that stays, such as that of a conversion webhook, is reported after two seconds.
 * When the server may have carried out a request whose answer was lost, it is sent again only if that does no harm:
 * see {@link isRepeatable}.
 * All calls reject with an `ApiError` by the status, a `ConnectionError`, or a `LoginError`; and with a `TypeError`, before anything is sent,
 * if a name in the path is empty or leads elsewhere.
 *
 * @example
 * const pod = await api.get<KubeObject>('/api/v1/namespaces/default/pods/web');
 */
export class KubeApi {
  /** The resources that were found by the last scan of the API; absent before the first one. */
  knownResources?: readonly Resource[];
  private readonly budget: RequestBudget;
  /** The time limits of all requests, on one timer of the clock: a request that is answered costs it nothing. */
  private readonly limits: TimerHeap;

  constructor(
    private readonly vault: Vault,
    private readonly settings: NetworkingSettings,
    /** The clock that its durations are measured with. */
    readonly clock: Clock,
    private readonly logger: KopfLogger,
    /** The operator whose requests they are. */
    readonly operator = new OperatorIdentity(),
    /** Knows which values must not be shown, neither in log lines nor in errors. */
    readonly redactor = new Redactor(),
  ) {
    this.budget = new RequestBudget(settings, clock);
    this.limits = new TimerHeap(clock);
  }

  /** The namespace of the credentials in use, if they name any. */
  get defaultNamespace(): string | undefined {
    return this.vault.defaultNamespace;
  }

  get<T = unknown>(path: string, options?: ApiCallOptions): Promise<T> {
    return this.request('GET', path, undefined, options);
  }

  /** Gets one page of a list; its items get the kind and the API version, which servers leave out there. */
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
   * Opens a long answer: a watch, or a followed log. There are no retries, and no time limit: the signal is the limit.
   *
   * @returns a successful response, whose body is not consumed yet.
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
   * Makes a request with any method. Only reading and creating take the path of a collection: nothing is deleted or changed without the
   * name of an object.
   *
   * @param payload is sent as JSON, unless it is `undefined`.
   * @returns the parsed body; `undefined` if it is empty.
   */
  async request<T>(method: string, path: string, payload?: unknown, options: ApiCallOptions = {}): Promise<T> {
    if (method !== 'GET' && method !== 'POST') checkObjectPath(method, path);
    const body = payload === undefined ? undefined : stringifyJson(payload);
    const read = (text: string): T => (text ? this.parse<T>(method, path, text) : (undefined as T));
    return await this.persist(method, path, body, options, read);
  }

  /**
   * Makes a request with any method and a body that is a text already.
   *
   * @param body is sent as JSON, unless the headers name another type.
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
          if (!isRepeatable({ method, path, headers: options.headers, body })) throw error;
        }
        if (isOutcomeUnknown(error)) options.onRepeat?.();
        options.onRetry?.(error);
        const level = attempt === 1 ? 'warn' : 'debug';
        logger[level](() => `Attempt ${attempt} failed, the next one is in ${delay} s: ${(error as Error).message}`);
        await this.pause(delay, options.signal);
      }
    }
  }

  /** Waits for the next attempt. @throws the reason why there is none: the signal's, or that the operator has stopped */
  private async pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
    const { closed } = this.vault;
    const ending = signal ? AbortSignal.any([signal, closed]) : closed;
    if (!(await sleep(this.clock, seconds, ending))) throw ending.reason;
  }

  private decideDelay(attempt: number, error: unknown, options: ApiCallOptions): number | undefined {
    const { retries = 'default', signal } = options;
    if (retries === false || signal?.aborted || !isRetriable(error, retries)) return undefined;
    return retryDelay(this.settings, attempt, error);
  }

  /** Makes one attempt; more than one only if the server does not accept the credentials. */
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
          // To refuse a request for another reason, the server must have accepted the credentials.
          if (this.vault.isDoubted && error instanceof ApiClientError) this.vault.confirm(item);
          throw this.explain(error, method, path, item);
        }
        const isLast = logins >= (retries === false ? 1 : LOGINS_PER_REQUEST);
        const login = this.vault.invalidate(item, error);
        if (!isLast) {
          await this.patiently(login, signal);
          continue;
        }
        // Others wait for the login, this request does not.
        login.catch(() => undefined);
        throw new LoginError('The API server does not accept any of the new credentials.', { cause: error });
      }
    }
  }

  /** Waits for a login, unless the request is given up. */
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
    // A connection that nobody waits for any longer is freed by the transport, if not by the signal.
    const limits = { timeout, signal, aborts: options.timeout !== undefined, what: describeRequest(method, path) };
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (options.headers) Object.assign(headers, options.headers);
    return withTimeout(this.limits, limits, async (limit, isGivenUp) => {
      // A request that still waits for a connection when its time is over must not overtake its repetition.
      const isFenced = (): boolean => isGivenUp() || fence?.isOpen === false;
      const request = { method, path, headers, body, signal: limit, isFenced };
      const response = await this.transmit(item, request);
      if (response.status >= 300) throw await this.readError(method, path, response);
      return read(await response.text(), response);
    });
  }

  private transmit(
    item: VaultItem,
    request: KubeRequest & { readonly headers: Record<string, string> },
  ): Promise<KubeResponse> {
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

/** Adds the fence of the signal, unless there is another one. */
function withFence(options: ApiCallOptions): ApiCallOptions {
  const { signal, fence } = options;
  const own = signal && !fence ? fenceOf(signal) : undefined;
  return own ? { ...options, fence: own } : options;
}

/** Queries can hold page tokens of hundreds of characters. */
function describeRequest(method: string, path: string): string {
  const query = path.indexOf('?');
  return `${method} ${query < 0 ? path : path.slice(0, query)}`;
}
