import type { ActivityOptions } from './handler-options.interface.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * Calls the method when the operator needs credentials: after the startup handlers, and whenever the API server does not accept
 * the present ones any more, or they have expired. Handlers of this kind replace the built-in ways to log in.
 *
 * The method returns a `ConnectionInfo`, a `KubeConfig` of `@kubernetes/client-node`, the text of a kubeconfig or the path
 * of one; or nothing, if it has no credentials. If there are several methods, all that they return is used.
 * Arbitrary errors are retried until any of the methods has returned credentials; if none has any left to try, this is a `LoginError`.
 *
 * @example
 * @OnLogin({ retries: 3 })
 * async login(): Promise<ConnectionInfo> {
 *   return { server: 'https://10.0.0.1:6443', token: await this.tokens.fetch() };
 * }
 */
export function OnLogin(options: ActivityOptions = {}): MethodDecorator {
  return addHandlerMetadata({ kind: 'login', decorator: '@OnLogin', options: { ...options } });
}
