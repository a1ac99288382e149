import { CredentialsError, LoginError, type ConnectionInfo } from './connection-info.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { KubeConfigLogin } from './kubeconfig.login.js';
import type { ServiceAccountLogin } from './service-account.login.js';
import type { Login } from './vault.js';

const NOTHING_FOUND =
  'There is no cluster to connect to: KUBECONFIG is not set, there is no ~/.kube/config, and this is not a pod ' +
  'with a service account.';

/**
 * Creates the login of operators without other credentials: the service account of the pod, or the kubeconfig. If both exist, the service
 * account is preferred.
 */
export function createDefaultLogin(
  kubeconfig: KubeConfigLogin,
  account: ServiceAccountLogin,
  logger: KopfLogger,
): () => ReturnType<Login> {
  return async () => {
    const infos = new Map<string, ConnectionInfo>();
    const pod = await account.login();
    if (pod) infos.set('service-account', pod);
    try {
      const file = await kubeconfig.login();
      if (file) infos.set('kubeconfig', file);
    } catch (error) {
      if (!pod || !(error instanceof CredentialsError)) throw error;
      logger.warn(`Only the service account is used. ${error.message}`);
    }
    if (!infos.size) throw new LoginError(NOTHING_FOUND);
    return infos;
  };
}
