import type { KubeObject } from 'nestjs-kopf';

/** The resource of the claims, as handlers name it. */
export const CLAIMS = 'ephemeralvolumeclaims.kopf.dev';

/** Describes the volume for pods that a user wants; it is deleted when they have finished. */
export interface ClaimSpec {
  /** The size of the volume: `1Gi`. Can be increased later. */
  size?: string;
  /** The class of the volume. @default the cluster's default class */
  storageClassName?: string;
  /** The pods that the volume is for. Without a selector, the volume stays until the claim is deleted. */
  podSelector?: { matchLabels?: Record<string, string> };
  /** Seconds for which the volume stays at least, so that the pods can start. @default 0 */
  waitAtLeast?: number;
  /** Seconds for which the volume waits to be used at most, in case that no pod can start. @default no limit */
  waitAtMost?: number;
}

/** Reports the state of the claim. */
export interface ClaimStatus {
  /** The result of the creation. */
  create?: { 'pvc-name'?: string };
  usage?: ClaimUsage;
}

/** Reports how the selected pods use the volume. */
export interface ClaimUsage {
  /** Names the phase: it waits for the first pod, is being used, or is not needed any more. */
  phase: 'Waiting' | 'InUse' | 'Finished' | 'Expired';
  /** Is true once any pod has run. */
  used: boolean;
}

/** A claim as the API server has it. */
export type Claim = KubeObject<ClaimSpec, ClaimStatus>;
