import type { KubeObject } from 'nestjs-kopf';

export const LOAD_TESTS = 'loadtests.example.org';

/** Describes the load that users ask for. */
export interface LoadTestSpec {
  /** Sets the number of pods that make requests. @default 1 */
  readonly replicas?: number;
  readonly test: {
    /** @default GET */
    readonly method?: string;
    readonly serviceName: string;
    /** @default / */
    readonly path?: string;
    /** Sets how many requests each pod makes. @default 1 */
    readonly repeat?: number;
  };
}

export type LoadTestState = 'pending' | 'executing' | 'failed' | 'finished';

/** Reports the state of the load test. */
export interface LoadTestStatus {
  readonly state?: LoadTestState;
  /** The phases of the pods by their names. */
  readonly children?: Readonly<Record<string, string>>;
}

export interface LoadTest extends KubeObject<LoadTestSpec, LoadTestStatus> {
  readonly spec: LoadTestSpec;
}

/**
 * Concludes the state of a load test from the phases of its pods: one failed pod fails it, and all pods must have succeeded for
 * it to be finished.
 *
 * @returns `undefined` while it goes on.
 */
export function conclude(phases: readonly string[], replicas: number): LoadTestState | undefined {
  if (phases.some((phase) => phase === 'Failed' || phase === 'Lost')) return 'failed';
  return phases.filter((phase) => phase === 'Succeeded').length >= replicas ? 'finished' : undefined;
}
