import type { ActivityContext, LoginContext } from '../contexts/contexts.interface.js';
import type { HandlerDecorator } from './handler.decorators.js';
import type { ActivityOptions } from './handler-options.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * Calls the method before the operator does anything else; no request is sent until it has succeeded. If it fails for good, the operator
 * does not start. The method can change the settings.
 *
 * @example
 * @OnStartup()
 * configure({ settings }: ActivityContext) {
 *   settings.posting.enabled = false;
 * }
 */
export function OnStartup(options: ActivityOptions = {}): HandlerDecorator<ActivityContext> {
  return addHandlerMetadata({ kind: 'startup', decorator: '@OnStartup', options: { ...options } });
}

/**
 * Calls the method after the operator has stopped handling objects, while the connections are still open.
 *
 * @example
 * @OnCleanup()
 * async close({ logger }: ActivityContext) {}
 */
export function OnCleanup(options: ActivityOptions = {}): HandlerDecorator<ActivityContext> {
  return addHandlerMetadata({ kind: 'cleanup', decorator: '@OnCleanup', options: { ...options } });
}

/**
 * Calls the method when the operator needs credentials: after the startup handlers, and whenever the API server rejects the current ones,
 * or they have expired. Handlers of this kind replace the built-in logins.
 *
 * The method returns a `ConnectionInfo`, a `KubeConfig` of `@kubernetes/client-node`, the text of a kubeconfig or the path of one; or
 * nothing, if it has no credentials. If there are several methods, all returned credentials are used. Arbitrary errors are retried until
 * any of the methods has returned credentials; if none has an attempt left, the login fails with a `LoginError`.
 *
 * @example
 * @OnLogin({ retries: 3 })
 * async login(): Promise<ConnectionInfo> {
 *   return { server: 'https://10.0.0.1:6443', token: await this.tokens.fetch() };
 * }
 */
export function OnLogin(options: ActivityOptions = {}): HandlerDecorator<LoginContext> {
  return addHandlerMetadata({ kind: 'login', decorator: '@OnLogin', options: { ...options } });
}

/**
 * Calls the method when the health of the operator is requested; its result is shown in the health report under its id, and an error makes
 * the operator count as not alive. The report is served by `nestjs-kopf/health`.
 *
 * A call has a time limit, and is made once: retries happen only with `errors: 'temporary'` or a `TemporaryError`, and only as far as they
 * fit in the limit. The option `timeout` is this limit in seconds.
 *
 * @example
 * @OnProbe()
 * volumes({ indices }: ActivityContext) {
 *   return indices.volumesByClass.size;
 * }
 */
export function OnProbe(options: ActivityOptions = {}): HandlerDecorator<ActivityContext> {
  return addHandlerMetadata({ kind: 'probe', decorator: '@OnProbe', options: { ...options } });
}
