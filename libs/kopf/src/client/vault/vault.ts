import { LoginError, type ConnectionInfo, describeConnection, validateConnectionInfo } from './connection-info.js';
import { detach } from '../../common/async.boundary.js';
import { Backoff } from '../../common/backoff.js';
import type { Clock } from '../../common/clock.js';
import type { KubeTransport } from '../http/kube.transport.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Random } from '../../common/random.js';
import { readCredentialFiles } from './service-account.login.js';
import { RejectedCredentials, type TriedCredentials } from './rejected.credentials.js';
import { VaultItem } from './vault.item.js';

/** Gets credentials by the ids of the handlers that have returned them; the signal is aborted when nobody needs them any more. */
export type Login = (signal: AbortSignal) => Promise<ReadonlyMap<string, ConnectionInfo>>;

/** Lists the dependencies of a {@link Vault}. */
export interface VaultOptions {
  readonly login: Login;
  /** Opens connections; not called for credentials that bring their own transport. */
  readonly createTransport: (info: ConnectionInfo) => KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /** Told each time when a login has brought no usable credentials: the operator cannot do anything now. */
  readonly onDepleted?: (error: LoginError) => void;
}

/** Names a transport that can be closed gracefully: requests under way end on their own. */
interface RetirableTransport extends KubeTransport {
  retire?(): Promise<void>;
}

/** Milliseconds until the next login after one that has failed. */
const PAUSES = { first: 1000, longest: 60_000 };

/**
 * Keeps the valid credentials of one operator, and gets new ones when they expire or are not accepted any more.
 *
 * However many requests need new credentials at the same time, there is one login, and all of them wait for it.
 * After a failed login all requests fail at once for some time, from one second to a minute.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #rejected: RejectedCredentials;
  readonly #retired = new Set<KubeTransport>();
  #items: VaultItem[] = [];
  /** Holds the credentials of the highest priority. */
  #best: VaultItem[] = [];
  #expiresAt = Infinity;
  #login?: Promise<void>;
  readonly #backoff = new Backoff(() => PAUSES);
  #failure?: { readonly error: LoginError; readonly until: number };
  readonly #closing = new AbortController();

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#rejected = new RejectedCredentials(options.clock);
  }

  /** The namespace of the credentials in use, if they name any. */
  get defaultNamespace(): string | undefined {
    return this.#best[0]?.info.defaultNamespace;
  }

  /** Holds the last login's error if it has brought no credentials. */
  get failure(): LoginError | undefined {
    return this.current() ? undefined : this.#failure?.error;
  }

  /** The valid credentials of the highest priority; none before a login. */
  get best(): readonly VaultItem[] {
    if (this.#options.clock.now() >= this.#expiresAt) this.expire();
    return this.#best;
  }

  /** The credentials to use now, a random one of the best; `undefined` if there are none before a login. */
  current(): VaultItem | undefined {
    const { best } = this;
    return best.length < 2 ? best[0] : best[Math.floor(this.#options.random.next() * best.length)];
  }

  /**
   * The credentials to use now, after a login if needed.
   *
   * @throws LoginError if there are none.
   */
  async acquire(): Promise<VaultItem> {
    const item = this.current();
    if (item) return item;
    await this.relogin();
    return this.current() ?? this.fail(new LoginError('The new credentials have expired already.'));
  }

  /**
   * Takes credentials out of use that the server did not accept; resolves when there are others.
   * Credentials that were taken out already are fine: others are there, or on their way.
   *
   * @throws LoginError if there are no others.
   */
  async invalidate(item: VaultItem, reason?: unknown): Promise<void> {
    if (this.#items.includes(item)) {
      this.#rejected.add(item);
      this.replace(this.#items.filter((other) => other !== item));
      this.retire(item);
    }
    if (!this.current()) await this.relogin(reason);
  }

  /**
   * Takes all credentials out of use, though the server may still accept them, and logs in at once, even shortly after a failed login.
   * The same ones are used again if the login brings no others.
   *
   * @throws LoginError if there are none.
   */
  async renew(): Promise<void> {
    const items = this.#items;
    this.replace([]);
    for (const item of items) this.retire(item);
    if (this.#failure) this.#failure = { ...this.#failure, until: -Infinity };
    await this.relogin();
  }

  /** Closes all connections. Requests fail from now on. */
  async close(): Promise<void> {
    this.#closing.abort();
    const transports = [...this.#items.map((item) => item.transport), ...this.#retired];
    this.replace([]);
    await Promise.all(transports.map((transport) => transport.close()));
  }

  private expire(): void {
    const now = this.#options.clock.now();
    const expired = this.#items.filter((item) => item.expiresAt <= now);
    this.replace(this.#items.filter((item) => item.expiresAt > now));
    for (const item of expired) this.retire(item);
  }

  private relogin(reason?: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(new LoginError('The credentials are closed.'));
    if (this.#failure && this.#options.clock.monotonic() < this.#failure.until) {
      return Promise.reject(this.#failure.error);
    }
    // It is for all requests, and not only for that which needs it first.
    this.#login ??= detach(() => this.performLogin(reason)).finally(() => (this.#login = undefined));
    return this.#login;
  }

  private async performLogin(reason: unknown): Promise<void> {
    const { login, logger } = this.#options;
    logger.debug('Logging in.');
    let found: readonly TriedCredentials[];
    try {
      found = await readCredentialFiles(await login(this.#closing.signal));
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown reason';
      return this.fail(
        error instanceof LoginError ? error : new LoginError(`Cannot log in: ${message}`, { cause: error }),
      );
    }
    const fresh = found.filter((credentials) => !this.#rejected.has(credentials));
    const items = fresh.map((credentials) => this.open(credentials)).filter((item) => item !== undefined);
    if (this.#closing.signal.aborted) return this.discard(items);
    if (!items.length) {
      return this.fail(new LoginError(`No valid credentials: ${explainMissing(found, fresh)}.`, { cause: reason }));
    }
    this.#failure = undefined;
    this.#backoff.reset();
    this.replace(items);
    logger.debug(() => `Logged in: ${items.map((item) => describeConnection(item.info)).join('; ')}.`);
  }

  private open({ key, info, files, user }: TriedCredentials): VaultItem | undefined {
    try {
      validateConnectionInfo(info);
      return new VaultItem(key, info, info.transport ?? this.#options.createTransport(info), files, user);
    } catch (error) {
      this.#options.logger.error(`The credentials of ${key} are not usable.`, error);
      return undefined;
    }
  }

  private replace(items: VaultItem[]): void {
    const priority = Math.max(...items.map((item) => item.priority));
    this.#items = items;
    this.#best = items.filter((item) => item.priority === priority);
    this.#expiresAt = Math.min(...items.map((item) => item.expiresAt));
  }

  /** Lets the requests in progress finish, as only new ones need the new credentials. */
  private retire(item: VaultItem): void {
    const transport: RetirableTransport = item.transport;
    if (!transport.retire || this.#items.some((other) => other.transport === transport)) return;
    this.#retired.add(transport);
    const forget = (): void => void this.#retired.delete(transport);
    // The callers of the last requests over it get their errors.
    void transport.retire().then(forget, forget);
  }

  private async discard(items: VaultItem[]): Promise<void> {
    await Promise.all(items.map((item) => item.transport.close()));
  }

  private fail(error: LoginError): never {
    const { clock, onDepleted } = this.#options;
    this.#failure = { error, until: clock.monotonic() + this.#backoff.next() };
    onDepleted?.(error);
    throw error;
  }
}

/** Explains why there are none, although there may be some that were `found`, of which the API server has not rejected the `fresh` ones. */
function explainMissing(found: readonly TriedCredentials[], fresh: readonly TriedCredentials[]): string {
  if (found.length === 0) return 'no login has found any';
  if (fresh.length > 0) return 'those that were found are not usable, as the log says';
  const rejected = found.map(({ info }) => describeConnection(info)).join('; ');
  return `the API server does not accept any of them: ${rejected}`;
}
