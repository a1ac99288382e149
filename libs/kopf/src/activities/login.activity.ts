import { Injectable } from '@nestjs/common';
import { GivenLogin, type GivenCredentials } from '../client/vault/given.login.js';
import { ActivityKind } from '../registry/handler.js';
import { LoginError, type ConnectionInfo } from '../client/vault/connection-info.js';
import type { Clock } from 'kube-common';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { ActivityRunner } from './activity.runner.js';
import { LoginHandlerContext } from './login-handler.context.js';

/** The login by the `@OnLogin` handlers of the application. */
@Injectable()
export class LoginActivity {
  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(ActivityRunner) private readonly runner: ActivityRunner,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether there are any login handlers. */
  get exists(): boolean {
    return this.registry.activitiesOf(ActivityKind.LOGIN).length > 0;
  }

  /**
   * Calls the handlers. As soon as one has returned credentials, the others are not retried; their errors are logged.
   *
   * @param signal ends the waiting for retries.
   * @throws LoginError if none of them has returned credentials, and none will be called again.
   */
  async login(signal: AbortSignal): Promise<ReadonlyMap<string, ConnectionInfo>> {
    const { results, failures } = await this.runner.execute({
      handlers: this.registry.activitiesOf(ActivityKind.LOGIN),
      signal,
      isFirstEnough: true,
      Context: LoginHandlerContext,
      around: (call) => this.logIn(call),
    });
    if (results.size > 0 || failures.size === 0) return results as ReadonlyMap<string, ConnectionInfo>;
    const reasons = [...failures].map(([source, { message }]) => `${source}: ${message}`).join('; ');
    throw new LoginError(`No login handler has succeeded: ${reasons}`, { cause: [...failures.values()][0] });
  }

  private async logIn(call: () => unknown): Promise<ConnectionInfo | undefined> {
    const given = (await call()) as GivenCredentials | null | undefined;
    // Credentials that cannot be read are an error of the handler, which is retried like any other.
    return given === undefined || given === null ? undefined : new GivenLogin(given, this.clock).login();
  }
}
