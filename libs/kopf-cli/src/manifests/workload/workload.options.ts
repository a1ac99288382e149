/** The container of the operator, and how it is run. */
export interface WorkloadOptions {
  /** The image with its tag. @default the name of the operator, with the tag `latest` */
  readonly image?: string;
  /** The command of the container. @default the image's */
  readonly command?: readonly string[];
  /** More than one needs leader election or peering. @default 2 with `coordination: 'lease'`, otherwise 1 */
  readonly replicas?: number;
  /** The requests and limits of the container. @default 50m of a processor, 128Mi to 512Mi of memory */
  readonly resources?: object;
  /** The environment of the container, beside `POD_ID`: texts, or references such as `{ secretKeyRef: { name, key } }`. @default nothing */
  readonly env?: Readonly<Record<string, string | object>>;
  /** The port that the application listens at, if it has routes for probes or for metrics. @default 3000 */
  readonly port?: number;
  /** The global prefix of the application's routes. @default none */
  readonly prefix?: string;
  /** The time to stop, in seconds. @default 30 */
  readonly terminationGracePeriodSeconds?: number;
}

/** The requests and limits that are enough for an operator of some thousands of objects. */
export const RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } };
