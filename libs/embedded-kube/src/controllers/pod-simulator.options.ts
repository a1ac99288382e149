/** The annotations that tell the simulator how a pod ends. */
export const SIMULATION_ANNOTATIONS = {
  /** How many seconds the containers run before they end; without it, they run until the pod is deleted. */
  runSeconds: 'embedded-kube/run-seconds',
  /** What the containers exit with. @default 0 */
  exitCode: 'embedded-kube/exit-code',
} as const;

/** How simulated pods behave. Times are in seconds. */
export interface PodSimulatorOptions {
  /** From creation to running. @default 0.1 */
  readonly startSeconds?: number;
  /** How long the pods of jobs run, unless they are annotated. @default 0.1 */
  readonly jobSeconds?: number;
  /** From the request to delete until a pod is gone; never more than its grace period. @default 0.1 */
  readonly stopSeconds?: number;
  /** The node that all pods run on; it is created at the start. @default 'embedded-kube' */
  readonly nodeName?: string;
}
