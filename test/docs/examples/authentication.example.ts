// #region imports
import { Injectable } from '@nestjs/common';
import { KopfVault, OnLogin, type ConnectionInfo, type KopfModuleOptions, type LoginContext } from 'nestjs-kopf';
// #endregion

// #region kubeconfig
export const fromFile = (path: string): KopfModuleOptions => ({ credentials: path });
// #endregion

// #region fields
export function fromFields(server: string, caData: string, token: string): KopfModuleOptions {
  const credentials: ConnectionInfo = { server, caData, token };
  return { credentials };
}
// #endregion

// #region login
@Injectable()
export class TokenService {
  async fetch(server: string) {
    return { token: `token-for-${server}`, expiration: new Date(8640000000000000) };
  }
}

@Injectable()
export class LoginHandlers {
  constructor(private readonly tokens: TokenService) {}

  @OnLogin({ retries: 3, backoff: 10 })
  async login({ withKubeConfig }: LoginContext): Promise<ConnectionInfo | undefined> {
    const info = await withKubeConfig();
    if (!info) return undefined;
    return { ...info, ...(await this.tokens.fetch(info.server)) };
  }
}
// #endregion

// #region vault
@Injectable()
export class AccountService {
  constructor(private readonly vault: KopfVault) {}

  describe() {
    const { logins, failure } = this.vault;
    if (failure) return `Not logged in: ${failure.message}`;
    return logins.map(
      ({ user, server, expiresAt }) => `${user} on ${server} until ${expiresAt?.toISOString() ?? 'further notice'}`,
    );
  }

  async replaceToken() {
    await this.vault.invalidate();
  }
}
// #endregion
