/** One permission of the operator: `GET api/permissions`. */
export interface InspectedPermission {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The plural, with the subresource if there is one: `pods/log`. */
  readonly resource: string;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  /** The handlers and features that need it, in words; empty if nothing is known to need it. */
  readonly neededBy: readonly string[];
  /**
   * The number of requests (in all namespaces, if the permission is needed everywhere) since the first viewer, or since the start if the
   * history is always kept.
   */
  readonly used: number;
  /** Whether the API server grants it, as its review of the rules says. */
  readonly granted: boolean | 'unknown';
}
