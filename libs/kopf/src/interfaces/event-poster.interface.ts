import type { KubeObject } from './kube-object.interface.js';

/** Takes Kubernetes events to be posted in the background. */
export interface EventPoster {
  /** Never throws and never waits: what cannot be posted is logged. */
  post(about: KubeObject, type: string, reason: string, message: string): void;
}
