import { KubeConfigLogin } from '../client/vault/kubeconfig.login.js';
import { ServiceAccountLogin } from '../client/vault/service-account.login.js';
import { ActivityHandlerContext, type ActivityEnvironment } from '../contexts/activity-handler.context.js';
import { HasMembers, INVOCATION_MEMBERS } from '../contexts/context.members.js';
import type { Invocation } from '../contexts/invocation.js';
import type { Clock } from 'kube-common';
import type { ConnectionInfo } from '../client/vault/connection-info.js';
import type { LoginContext } from '../contexts/contexts.interface.js';

/** The context of `@OnLogin` handlers. */
@HasMembers<LoginContext>({
  ...INVOCATION_MEMBERS,
  settings: true,
  memo: true,
  indices: true,
  withServiceAccount: true,
  withKubeConfig: true,
})
export class LoginHandlerContext extends ActivityHandlerContext implements LoginContext {
  private readonly clock: Clock;

  constructor(invocation: Invocation, environment: ActivityEnvironment) {
    super(invocation, environment);
    this.clock = environment.clock;
  }

  // Functions of the instance, as handlers take them out of the context.
  readonly withServiceAccount = (): Promise<ConnectionInfo | undefined> => new ServiceAccountLogin().login();

  readonly withKubeConfig = (paths?: string): Promise<ConnectionInfo | undefined> =>
    new KubeConfigLogin({ clock: this.clock, paths }).login();
}
