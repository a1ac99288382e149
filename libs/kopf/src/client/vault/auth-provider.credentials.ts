import { CredentialsError, type ConnectionInfo } from './connection-info.js';
import type { SelectedContext } from './kubeconfig.data.js';

/** The used members of the official client's `KubeConfig`, in any of its versions. */
export interface KubeConfigLike {
  exportConfig(): string;
  applyToHTTPSOptions(options: any): Promise<void>;
}

/**
 * The credentials of a user with an `auth-provider` (OIDC, clouds), whose token the official client reads and refreshes.
 *
 * The client is loaded only for this, as it takes much memory and time. One `KubeConfig` is used as long as its content is the same, as
 * only it has the refreshed tokens.
 */
export class AuthProviderCredentials {
  #config?: { readonly text: string; readonly config: KubeConfigLike };

  /** @throws CredentialsError if there is no token. */
  async get(selected: SelectedContext): Promise<Pick<ConnectionInfo, 'token' | 'expiration'>> {
    return readToken(await this.load(selected), selected.user['auth-provider']?.name);
  }

  private async load({ name, context, cluster, user }: SelectedContext): Promise<KubeConfigLike> {
    const text = JSON.stringify({
      'current-context': name,
      contexts: [{ name, context: { ...context, user: 'user', cluster: 'cluster' } }],
      clusters: [{ name: 'cluster', cluster }],
      users: [{ name: 'user', user }],
    });
    if (this.#config?.text !== text) {
      const { KubeConfig } = await import('@kubernetes/client-node');
      const config = new KubeConfig();
      config.loadFromString(text);
      this.#config = { text, config };
    }
    return this.#config.config;
  }
}

/**
 * Reads the token that a `KubeConfig` would send.
 *
 * @throws CredentialsError if there is none.
 */
export async function readToken(
  config: KubeConfigLike,
  provider = 'unknown',
): Promise<Pick<ConnectionInfo, 'token' | 'expiration'>> {
  const options: { headers: Record<string, string> } = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown reason';
    throw new CredentialsError(`The auth provider ${provider} of the kubeconfig failed: ${reason}.`);
  }
  const [, token] = /^Bearer (.+)$/.exec(options.headers.Authorization ?? '') ?? [];
  if (!token) throw new CredentialsError(`The auth provider ${provider} of the kubeconfig gives no token.`);
  return { token, expiration: readExpiration(token) };
}

/** Reads when a JSON web token expires; `undefined` for other tokens. */
export function readExpiration(token: string): Date | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof exp === 'number' ? new Date(exp * 1000) : undefined;
  } catch {
    return undefined;
  }
}
