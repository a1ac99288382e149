/** One watch of the operator: `GET api/watches`. */
export interface InspectedWatch {
  /** The plural with the group. */
  readonly resource: string;
  readonly kind: string;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  readonly state: string;
  /** When it has come into this state, in milliseconds since the epoch. */
  readonly since: number;
  /** When the last event has come, in milliseconds since the epoch. */
  readonly lastEventAt?: number;
  readonly resourceVersion?: string;
  /** The number of known objects. */
  readonly objects: number;
  /** The number of times that it has connected or listed again. */
  readonly restarts: number;
  readonly bookmarks: number;
  /** The number of answers 410, after which everything is listed again. */
  readonly gone: number;
  /** The reason why it does not work. */
  readonly error?: string;
  /** The number of events of the resource that wait for a worker. */
  readonly backlog: number;
  /** The longest wait of the last events, in seconds. */
  readonly lag?: number;
}
