import { Injectable } from '@nestjs/common';
import { describeServer, type LoginError } from './connection-info.js';
import { Vault } from './vault.js';
import { InjectOwn } from '../../kopf.tokens.js';

/** Credentials in use, without their secrets. */
export interface LoginDescription {
  /** The login that has found them: `kubeconfig`, `service-account`, `given` for the module's option, or the `@OnLogin` handler. */
  readonly source: string;
  /** The URL of the API server, without a user and a password. */
  readonly server: string;
  /**
   * The user, as far as the credentials show: the impersonated user, the subject of a JSON web token, the name of basic authentication, or
   * the common name of the client certificate.
   */
  readonly user: string | undefined;
  /** The namespace of objects without one. */
  readonly defaultNamespace: string | undefined;
  /** The time at which the credentials expire, and the operator logs in again; `undefined` if never. */
  readonly expiresAt: Date | undefined;
}

/**
 * The identity of the operator for the API server, and the time until which it is valid. It never shows a token, a password, or a key.
 *
 * @example
 * const [login] = vault.logins;
 * console.log(`${login.user} on ${login.server} until ${login.expiresAt?.toISOString()}`);
 */
@Injectable()
export class KopfVault {
  /** @internal */
  constructor(@InjectOwn(Vault) private readonly vault: Vault) {}

  /**
   * The credentials in use: all of the highest priority, of which each request takes a random one. Empty before the first login, and while
   * there are none.
   */
  get logins(): readonly LoginDescription[] {
    return this.vault.best.map(({ key, info, user, expiresAt }) => ({
      source: key,
      server: describeServer(info.server),
      user,
      defaultNamespace: info.defaultNamespace,
      expiresAt: expiresAt === Infinity ? undefined : new Date(expiresAt),
    }));
  }

  /** The error of the last login, if it has found no credentials; `undefined` once there are some again. */
  get failure(): LoginError | undefined {
    return this.vault.failure;
  }

  /**
   * Drops all credentials and logs in again, as if the API server did not accept them any more: to be called when a token is known to be
   * revoked, or the account was changed. Requests that begin in the meantime wait for the new credentials; those in progress finish.
   *
   * @throws LoginError if the login finds no usable credentials. It is repeated for the next request.
   */
  async invalidate(): Promise<void> {
    await this.vault.renew();
  }
}
