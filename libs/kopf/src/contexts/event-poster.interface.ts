import type { KubeObject } from '../objects/kube-object.js';
import type { LogLevel } from '../common/kopf.logger.js';

/** Takes Kubernetes events to be posted in the background. */
export interface EventPoster {
  /**
   * Never throws and never waits: what cannot be posted is logged.
   *
   * @param level how important it is, as of log lines: below the level of the settings it is not posted. @default always
   */
  post(about: KubeObject, type: string, reason: string, message: string, level?: LogLevel): void;
}
