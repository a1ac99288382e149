import { KubeConfigLogin } from '../client/vault/kubeconfig.login.js';
import { ServiceAccountLogin } from '../client/vault/service-account.login.js';
import { ActivityHandlerContext } from '../contexts/activity-handler.context.js';
import type { Invocation } from '../contexts/invocation.js';
import type { Clock } from '../common/clock.interface.js';
import type { ConnectionInfo } from '../client/vault/connection-info.interface.js';
import type { LoginContext } from '../contexts/contexts.interface.js';
import type { Indices } from '../contexts/indices.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';

/** What `@OnLogin` handlers get. */
export class LoginHandlerContext extends ActivityHandlerContext implements LoginContext {
  constructor(
    invocation: Invocation,
    settings: KopfSettings,
    memo: unknown,
    indices: Indices,
    private readonly clock: Clock,
  ) {
    super(invocation, settings, memo, indices);
  }

  // Functions of the instance, as handlers take them out of the context.
  readonly withServiceAccount = (): Promise<ConnectionInfo | undefined> => new ServiceAccountLogin().login();

  readonly withKubeConfig = (paths?: string): Promise<ConnectionInfo | undefined> =>
    new KubeConfigLogin({ clock: this.clock, paths }).login();
}
