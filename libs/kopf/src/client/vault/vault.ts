import { LoginError, type ConnectionInfo, describeConnection, validateConnectionInfo } from './connection-info.js';
import { type Clock, detach, type KubeTransport, type Random, sleep } from 'kube-common';
import { Backoff } from '../../common/backoff.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
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

/** Milliseconds until the next login after one that has failed: close to each other as long as a Lease can still be renewed. */
const PAUSES = [1000, 2000, 2000, 2000, 2000, 5000, 10_000, 20_000, 40_000, 60_000];

/** The most milliseconds until the next login where the server has refused what was found, as the next one may find other credentials. */
const REFUSED_PAUSE = 5000;

/** Milliseconds from one login to the next one if the server refuses what they bring. */
const PACE = 1000;

/**
 * Keeps the valid credentials of one operator, and gets new ones when they expire or are not accepted any more.
 *
 * However many requests need new credentials at the same time, there is one login, and all of them wait for it.
 * After a failed login all requests fail at once for some time, from one second to a minute.
 *
 * The first refusal by the server leads to a login at once, the next ones to one each second, whether or not it brings other credentials.
 * The same ones are banned, for some seconds at first, when they were refused again and again: for ten seconds, or two at the start.
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
  /** When the last login began that was due to a refusal, on the monotonic clock. */
  #renewedAt = -Infinity;
  /** Whether the server has refused credentials, and not accepted any since. */
  #isDoubted = false;
  /** Whether the server has accepted any credentials so far. */
  #isProven = false;
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

  /** Aborted when the connections are closed: nothing is to be requested any more. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Holds the last login's error if it has brought no credentials. */
  get failure(): LoginError | undefined {
    return this.current() ? undefined : this.#failure?.error;
  }

  /** The valid credentials of the highest priority; none before a login. */
  get best(): readonly VaultItem[] {
    if (this.#options.clock.monotonic() >= this.#expiresAt) this.expire();
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
    return this.current() ?? this.fail(new LoginError('The new credentials have expired at once.'));
  }

  /**
   * Takes credentials out of use that the server did not accept; resolves when there are others, or the same ones are worth another try.
   * Credentials that were taken out already are fine: others are there, or on their way.
   *
   * @throws LoginError if there are no others, and these are banned.
   */
  async invalidate(item: VaultItem, reason?: unknown): Promise<void> {
    if (this.#items.includes(item)) {
      this.#rejected.add(item, this.#isProven);
      this.#isDoubted = true;
      this.replace(this.#items.filter((other) => other !== item));
      this.retire(item);
    }
    if (!this.current()) await this.relogin(reason);
  }

  /** Whether the server has not accepted any credentials yet, or not since it has refused some, so that it is worth to {@link confirm} them. */
  get isDoubted(): boolean {
    return this.#isDoubted || !this.#isProven;
  }

  /** Notes that the server accepts the credentials, whatever it has said before. */
  confirm(item: VaultItem): void {
    this.#isDoubted = false;
    this.#isProven = true;
    this.#rejected.forget(item);
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
    this.#closing.abort(new LoginError('The credentials are closed.'));
    const transports = [...this.#items.map((item) => item.transport), ...this.#retired];
    this.replace([]);
    await Promise.all(transports.map((transport) => transport.close()));
  }

  private expire(): void {
    const now = this.#options.clock.monotonic();
    const expired = this.#items.filter((item) => item.outdatedAt <= now);
    this.replace(this.#items.filter((item) => item.outdatedAt > now));
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
    const { login, logger, clock } = this.#options;
    if (this.#isDoubted) {
      const wait = this.#renewedAt + PACE - clock.monotonic();
      if (wait > 0) await sleep(clock, wait / 1000, this.#closing.signal);
      if (this.#closing.signal.aborted) throw new LoginError('The credentials are closed.');
      this.#renewedAt = clock.monotonic();
    }
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
      const error = new LoginError(`No valid credentials: ${explainMissing(found, fresh)}.`, { cause: reason });
      return this.fail(error, fresh.length < found.length ? REFUSED_PAUSE : undefined);
    }
    this.#failure = undefined;
    this.#backoff.reset();
    this.replace(items);
    logger.debug(() => `Logged in: ${items.map((item) => describeConnection(item.info)).join('; ')}.`);
  }

  private open({ key, info, files, user }: TriedCredentials): VaultItem | undefined {
    try {
      validateConnectionInfo(info);
      const { clock, createTransport, logger } = this.#options;
      const item = new VaultItem(key, info, info.transport ?? createTransport(info), files, user);
      const lifetime = item.expiresAt - clock.now();
      item.outdatedAt = lifetime > 0 ? clock.monotonic() + lifetime : Infinity;
      if (lifetime <= 0) {
        logger.warn(`${describeExpired(item, clock)} They are used until the API server refuses them.`);
      }
      return item;
    } catch (error) {
      this.#options.logger.error(`The credentials of ${key} are not usable.`, error);
      return undefined;
    }
  }

  private replace(items: VaultItem[]): void {
    const priority = Math.max(...items.map((item) => item.priority));
    this.#items = items;
    this.#best = items.filter((item) => item.priority === priority);
    this.#expiresAt = Math.min(...items.map((item) => item.outdatedAt));
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

  private fail(error: LoginError, longest = Infinity): never {
    const { clock, onDepleted } = this.#options;
    this.#failure = { error, until: clock.monotonic() + Math.min(this.#backoff.next(), longest) };
    onDepleted?.(error);
    throw error;
  }
}

/** Says of which credentials the local clock claims that they are over, although a login has just brought them. */
function describeExpired({ key, expiresAt }: VaultItem, clock: Clock): string {
  const [expired, now] = [expiresAt, clock.now()].map((time) => new Date(time).toISOString());
  return `The new credentials of ${key} have expired at ${expired}, while the clock of this host says ${now}; one of both is wrong.`;
}

/** Explains why there are none, although there may be some that were `found`, of which the API server has not rejected the `fresh` ones. */
function explainMissing(found: readonly TriedCredentials[], fresh: readonly TriedCredentials[]): string {
  if (found.length === 0) return 'no login has found any';
  if (fresh.length > 0) return 'those that were found are not usable, as the log says';
  const rejected = found.map(({ info }) => describeConnection(info)).join('; ');
  return `the API server does not accept any of them: ${rejected}`;
}
