import { CredentialsError, type ConnectionInfo } from './connection-info.js';
import type { Clock } from 'kube-common';
import { readToken, type KubeConfigLike } from './auth-provider.credentials.js';
import { KubeConfigConnector, KubeConfigLogin } from './kubeconfig.login.js';
import { parseKubeConfig, selectContext } from './kubeconfig.data.js';

/**
 * Credentials as users can give them: the fields, a `KubeConfig` of `@kubernetes/client-node`, the text of a kubeconfig, or paths of
 * kubeconfig files.
 */
export type GivenCredentials = ConnectionInfo | KubeConfigLike | string;

/** The login with credentials that the user has given, in any form. */
export class GivenLogin {
  readonly #given: GivenCredentials;
  readonly #clock: Clock;
  readonly #connector: KubeConfigConnector;

  constructor(given: GivenCredentials, clock: Clock) {
    this.#given = given;
    this.#clock = clock;
    this.#connector = new KubeConfigConnector(clock);
  }

  /** @throws CredentialsError if the credentials cannot be used. */
  async login(): Promise<ConnectionInfo> {
    const given = this.#given;
    if (typeof given !== 'string') return isKubeConfig(given) ? this.connectConfig(given) : given;
    if (/[\n{]/.test(given)) return this.connectText(given);
    const info = await new KubeConfigLogin({ clock: this.#clock, paths: given }).login();
    if (!info) throw new CredentialsError('No kubeconfig was given.');
    return info;
  }

  private async connectText(text: string): Promise<ConnectionInfo> {
    const source = 'The given kubeconfig';
    return this.#connector.connect(selectContext(await parseKubeConfig(text, source, process.cwd()), source));
  }

  private async connectConfig(config: KubeConfigLike): Promise<ConnectionInfo> {
    const source = 'The given KubeConfig';
    const selected = selectContext(await parseKubeConfig(config.exportConfig(), source, process.cwd()), source);
    const provider = selected.user['auth-provider'];
    if (!provider || provider.name === 'tokenFile') return this.#connector.connect(selected);
    // The given object can have authenticators besides those of the library.
    const info = await this.#connector.connect({ ...selected, user: { ...selected.user, 'auth-provider': undefined } });
    return { ...info, ...(await readToken(config, provider.name)) };
  }
}

function isKubeConfig(given: ConnectionInfo | KubeConfigLike): given is KubeConfigLike {
  return 'exportConfig' in given;
}
