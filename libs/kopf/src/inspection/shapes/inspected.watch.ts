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
  /** Counts the objects that are there. */
  readonly objects: number;
  /** Counts how often it has connected or listed again. */
  readonly restarts: number;
  readonly bookmarks: number;
  /** Counts the answers 410, after which everything is listed again. */
  readonly gone: number;
  /** The reason why it does not work. */
  readonly error?: string;
  /** Counts the events of the resource that wait for a worker. */
  readonly backlog: number;
  /** The longest wait of the last events, in seconds. */
  readonly lag?: number;
}
