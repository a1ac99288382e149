import { setMaxListeners } from 'node:events';
import { LoginError, type ConnectionInfo, describeConnection, validateConnectionInfo } from './connection-info.js';
import { type Clock, detach, type KubeTransport, type Random, sleep } from 'kube-common';
import { Backoff } from '../../common/backoff.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { readCredentialFiles } from './service-account.login.js';
import { RejectedCredentials, type TriedCredentials } from './rejected.credentials.js';
import { VaultItem } from './vault.item.js';

/**
 * Logs in: returns credentials by the ids of the handlers that have found them. The signal is aborted when they are not needed any more.
 */
export type Login = (signal: AbortSignal) => Promise<ReadonlyMap<string, ConnectionInfo>>;

/** The dependencies of a {@link Vault}. */
export interface VaultOptions {
  readonly login: Login;
  /** Opens connections; not called for credentials with their own transport. */
  readonly createTransport: (info: ConnectionInfo) => KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /** Called each time when a login has found no usable credentials, so that the operator cannot work. */
  readonly onDepleted?: (error: LoginError) => void;
}

/** A transport that can be closed gracefully: requests in progress finish. */
interface RetirableTransport extends KubeTransport {
  retire?(): Promise<void>;
}

/** Milliseconds before the next login after one that has failed: short as long as a Lease can still be renewed. */
const PAUSES = [1000, 2000, 2000, 2000, 2000, 5000, 10_000, 20_000, 40_000, 60_000];

/** The most milliseconds before the next login if the server has rejected the credentials, as the next login may find others. */
const REFUSED_PAUSE = 5000;

/** The milliseconds between logins if the server rejects their credentials. */
const PACE = 1000;

/**
 * The vault of one operator's valid credentials, which logs in again when they expire or are not accepted any more.
 *
 * However many requests need new credentials at the same time, there is one login, and all of them wait for it. After a failed login, all
 * requests fail at once for some time, from one second to a minute.
 *
 * The first rejection by the server leads to a login at once, further ones to one login a second, whether or not it finds other
 * credentials. Credentials that are rejected repeatedly, for ten seconds, or for two at the start, are banned, for some seconds at first.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #rejected: RejectedCredentials;
  readonly #retired = new Set<KubeTransport>();
  #items: VaultItem[] = [];
  /** The credentials of the highest priority. */
  #best: VaultItem[] = [];
  #expiresAt = Infinity;
  #login?: Promise<void>;
  readonly #backoff = new Backoff(() => PAUSES);
  /** The beginning of the last login after a rejection, on the monotonic clock. */
  #renewedAt = -Infinity;
  /** Whether the server has rejected credentials, and has not accepted any since. */
  #isDoubted = false;
  /** Whether the server has accepted any credentials so far. */
  #isProven = false;
  #failure?: { readonly error: LoginError; readonly until: number };
  readonly #closing = new AbortController();

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#rejected = new RejectedCredentials(options.clock);
    // Each request that waits for its next attempt listens, and there can be many while the server is away.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The namespace of the credentials in use, if they have one. */
  get defaultNamespace(): string | undefined {
    return this.#best[0]?.info.defaultNamespace;
  }

  /** Aborted when the connections are closed, so that no more requests are made. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** The error of the last login, if it has found no credentials. */
  get failure(): LoginError | undefined {
    return this.current() ? undefined : this.#failure?.error;
  }

  /** The valid credentials of the highest priority; empty before a login. */
  get best(): readonly VaultItem[] {
    if (this.#options.clock.monotonic() >= this.#expiresAt) this.expire();
    return this.#best;
  }

  /** Returns the credentials to use now, a random one of the best; `undefined` if there are none before a login. */
  current(): VaultItem | undefined {
    const { best } = this;
    return best.length < 2 ? best[0] : best[Math.floor(this.#options.random.next() * best.length)];
  }

  /**
   * Returns the credentials to use now, after a login if needed.
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
   * Drops credentials that the server did not accept. Resolves when there are others, or when the same ones can be tried again. Credentials
   * that were dropped already may be passed again: others are there, or a login is in progress.
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

  /** Whether the server has not accepted any credentials yet, or not since it has rejected some, so that {@link confirm} has an effect. */
  get isDoubted(): boolean {
    return this.#isDoubted || !this.#isProven;
  }

  /** Records that the server accepts the credentials, whatever it has answered before. */
  confirm(item: VaultItem): void {
    this.#isDoubted = false;
    this.#isProven = true;
    this.#rejected.forget(item);
  }

  /**
   * Drops all credentials, although the server may still accept them, and logs in at once, even shortly after a failed login. The same ones
   * are used again if the login finds no others.
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

  /** Closes all connections. Further requests fail. */
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
    // Detached, as the login is for all requests, and not only for the one that needs it first.
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

  /** Closes the connections after the requests in progress, as only new requests need the new credentials. */
  private retire(item: VaultItem): void {
    const transport: RetirableTransport = item.transport;
    if (!transport.retire || this.#items.some((other) => other.transport === transport)) return;
    this.#retired.add(transport);
    const forget = (): void => void this.#retired.delete(transport);
    // The callers of the last requests over it get its errors.
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

/** Describes credentials that have expired by the local clock, although a login has just found them. */
function describeExpired({ key, expiresAt }: VaultItem, clock: Clock): string {
  const [expired, now] = [expiresAt, clock.now()].map((time) => new Date(time).toISOString());
  return `The new credentials of ${key} have expired at ${expired}, while the clock of this host says ${now}; one of both is wrong.`;
}

/**
 * Explains why there are no credentials, although the login may have `found` some, of which the API server has not rejected the `fresh`
 * ones.
 */
function explainMissing(found: readonly TriedCredentials[], fresh: readonly TriedCredentials[]): string {
  if (found.length === 0) return 'no login has found any';
  if (fresh.length > 0) return 'those that were found are not usable, as the log says';
  const rejected = found.map(({ info }) => describeConnection(info)).join('; ');
  return `the API server does not accept any of them: ${rejected}`;
}
