import { readFile } from 'node:fs/promises';
import { CredentialsError, type ConnectionInfo } from '../vault/connection-info.js';
import type { Clock } from 'kube-common';

/** The time for which the content of a token file is used before it is read again, in milliseconds. */
const TOKEN_LIFETIME = 60_000;

/** Headers, some of them with several values. */
export type AuthorizationHeaders = Readonly<Record<string, string | string[]>>;

/** The headers that authenticate the client. They are not shown when it is printed. */
export class Authorization {
  readonly #info: ConnectionInfo;
  readonly #clock: Clock;
  #headers?: AuthorizationHeaders;
  #readAt = -Infinity;

  constructor(info: ConnectionInfo, clock: Clock) {
    this.#info = info;
    this.#clock = clock;
  }

  /** The headers, if they are up to date; `undefined` if they must be refreshed first. */
  get headers(): AuthorizationHeaders | undefined {
    const outdated = this.#info.tokenPath && this.#clock.monotonic() - this.#readAt >= TOKEN_LIFETIME;
    return outdated ? undefined : this.#headers;
  }

  /**
   * Creates the headers, and reads the token file again, if there is one.
   *
   * @throws CredentialsError if the file cannot be read, and there is no earlier token.
   */
  async refresh(): Promise<AuthorizationHeaders> {
    const token = await this.readToken();
    const { scheme, username, password } = this.#info;
    const headers: Record<string, string | string[]> = impersonationOf(this.#info);
    if (token) headers.authorization = `${scheme ?? 'Bearer'} ${token}`;
    else if (scheme) headers.authorization = scheme;
    else if (username) {
      headers.authorization = `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
    }
    this.#readAt = this.#clock.monotonic();
    this.#headers = headers;
    return headers;
  }

  private async readToken(): Promise<string | undefined> {
    const { tokenPath, token } = this.#info;
    if (!tokenPath) return token;
    try {
      return (await readFile(tokenPath, 'utf8')).trim() || token;
    } catch (error) {
      // While the file is being replaced, the earlier token still works.
      if (token) return token;
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      throw new CredentialsError(`Cannot read the token file ${tokenPath}: ${reason}`);
    }
  }
}

/** Returns the headers of the impersonated user, in the form of client-go. */
function impersonationOf(info: ConnectionInfo): Record<string, string | string[]> {
  const { impersonateUser, impersonateGroups = [], impersonateUid, impersonateExtra = {} } = info;
  if (!impersonateUser) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': impersonateUser };
  if (impersonateUid) headers['impersonate-uid'] = impersonateUid;
  if (impersonateGroups.length > 0) headers['impersonate-group'] = [...impersonateGroups];
  for (const [key, values] of Object.entries(impersonateExtra)) {
    headers[`impersonate-extra-${escapeHeaderName(key)}`] = [...values];
  }
  return headers;
}

/** Escapes the characters that are not allowed in the name of a header. Servers revert it. */
function escapeHeaderName(name: string): string {
  const escape = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return name.replaceAll(/[^\w!#$&'*+.^`|~-]/gu, (character) => [...Buffer.from(character)].map(escape).join(''));
}
