import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { CredentialsError } from './login.errors.js';
import type { Clock } from '../../common/clock.js';
import type { ConnectionInfo } from './connection-info.interface.js';
import { concealSecrets } from './connection-info.concealment.js';
import { KubeConfigConnector } from './kubeconfig.connection.js';
import { mergeKubeConfigs, parseKubeConfig, selectContext, type KubeConfigData } from './kubeconfig.data.js';

/** Selects the kubeconfig and the context. */
export interface KubeConfigLoginOptions {
  readonly clock: Clock;
  /** Files, separated as in `KUBECONFIG`. @default the environment's `KUBECONFIG`, else `~/.kube/config` */
  readonly paths?: string;
  /** The context to use. @default the current one */
  readonly context?: string;
  /** @default the environment of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The priority of credentials from kubeconfigs, as in Kopf. */
const PRIORITY = 10;

/** Takes credentials from kubeconfig files, read anew at each login. */
export class KubeConfigLogin {
  private readonly connector: KubeConfigConnector;

  constructor(private readonly options: KubeConfigLoginOptions) {
    this.connector = new KubeConfigConnector(options.clock);
  }

  /**
   * The credentials of the context, or `undefined` if there is no kubeconfig and none was asked for.
   *
   * @throws CredentialsError if a kubeconfig was named but does not exist, or its credentials cannot be used.
   */
  async login(): Promise<ConnectionInfo | undefined> {
    const paths = await this.findPaths();
    if (!paths.length) return undefined;
    const data = mergeKubeConfigs(await Promise.all(paths.map((path) => this.read(path))));
    const source = `The kubeconfig ${paths.join(delimiter)}`;
    const selected = selectContext(data, source, this.options.context ?? data.currentContext);
    return concealSecrets({ ...(await this.connector.connect(selected)), priority: PRIORITY });
  }

  private async findPaths(): Promise<string[]> {
    const environment = this.options.environment ?? process.env;
    const named = this.options.paths || environment.KUBECONFIG;
    const home = environment.HOME ?? homedir();
    const candidates = (named || join(home, '.kube', 'config'))
      .split(delimiter)
      .map((path) => path.trim())
      .filter(Boolean)
      .map((path) => resolve(path.replace(/^~(?=[/\\]|$)/, home)));
    const existing = await Promise.all(candidates.map((path) => exists(path)));
    const paths = candidates.filter((_, index) => existing[index]);
    if (named && !paths.length) throw new CredentialsError(`No such kubeconfig: ${candidates.join(delimiter)}.`);
    return paths;
  }

  private async read(path: string): Promise<KubeConfigData> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      throw new CredentialsError(`Cannot read the kubeconfig ${path}: ${(error as NodeJS.ErrnoException).code}.`);
    }
    return parseKubeConfig(text.trim() || '{}', `The kubeconfig ${path}`, dirname(path));
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
