import type { DiagnosticChannel, KOPF_CHANNELS } from '../diagnostics/channels.js';
import type { OperatorState } from '../operator/operator.state.js';
import type { Resource } from '../resources/resources.js';
import type { OperatorInspection } from './operator.inspection.js';
import type { InspectedUnservedResource } from './shapes/operator.overview.js';
import type { InspectedWatch } from './shapes/inspected.watch.js';

/** The state of an operator in this process, and the reasons why it does not work. */
export interface OperatorStatus {
  readonly state: OperatorState;
  /** When the operator has come into the state, in milliseconds since the epoch; absent if it was never started. */
  readonly since?: number;
  /** Whether the application does not work without the operator, as the option `required` says. */
  readonly required: boolean;
  /** The condition that a starting operator waits for. */
  readonly waitingFor?: string;
  /** The reason why the operator has failed. */
  readonly failure?: string;
  /** When a failed operator starts again, in milliseconds since the epoch; absent if it does not. */
  readonly nextAttemptAt?: number;
  /** The reasons why the operator pauses; empty if it does not. */
  readonly paused: readonly string[];
  readonly leadership: {
    /** The name of the Lease or of the peering, as the settings have it. */
    readonly name: string;
    /** Whether the operator may work on objects now. */
    readonly isHeld: boolean;
  };
  /** The reason why there are no credentials that the API server accepts. */
  readonly credentialsFailure?: string;
  /** The resources of handlers that the cluster does not serve. */
  readonly unserved: readonly InspectedUnservedResource[];
  /** The number of objects that the operator has seen, and that still exist. */
  readonly objects: number;
}

/** One watch, without the counts that only a history has. */
export type WatchReading = Omit<InspectedWatch, 'bookmarks' | 'gone' | 'backlog' | 'lag'>;

/** The queues of the events of one resource, those of all namespaces together. */
export interface QueueReading {
  /** The plural with the group. */
  readonly resource: string;
  /** The number of events that wait for a worker. */
  readonly waiting: number;
  /** The seconds of work so far on each event in progress, without sleeps. */
  readonly running: readonly number[];
  /** The most objects that are processed at the same time; absent without a limit. */
  readonly limit?: number;
}

/** The daemons or timers of one handler. */
export interface BackgroundReading {
  readonly handler: string;
  readonly kind: 'daemon' | 'timer';
  /** The number of those that run or wait for their time. */
  readonly running: number;
  /** The number of those that were asked to stop. */
  readonly stopping: number;
}

/** The numbers of objects whose handling is delayed. */
export interface ObjectReading {
  /** The number of objects whose watch has not shown yet what the operator has written. */
  readonly unseen: number;
  /** The number of objects that are left alone for a while after unexpected errors. */
  readonly throttled: number;
}

/** One index, and how many keys it has. */
export interface IndexReading {
  readonly id: string;
  readonly keys: number;
}

/** One peering, and how many operators were seen in it, this one included. */
export interface PeeringReading {
  readonly name: string;
  readonly operators: number;
}

/** The answering of reviews of admission. */
export interface ReviewReading {
  /** The number of handlers of admission. */
  readonly handlers: number;
  /** Whether reviews can be answered: the operator has discovered the resources, and has not stopped. */
  readonly isServing: boolean;
  /** The number of reviews in progress, those of conversions included. */
  readonly inProgress: number;
  /** The reason why reviews that read indices are rejected; absent if they are not. */
  readonly missing?: string;
}

/** The counters of the logs of containers. */
export interface LogReading {
  /** The number of open streams. */
  readonly open: number;
  /** The number of containers that wait for a stream to end, because of `logs.maxStreams`. */
  readonly waiting: number;
  /** The number of lines that came for the first time. */
  readonly lines: number;
  /** The number of messages that matched, and were passed to handlers. */
  readonly messages: number;
  /** The number of streams that were opened again after they had broken off, ended, or fallen silent. */
  readonly reopened: number;
  /** The number of times when no known line came again: the log was rotated, and lines can be missing. */
  readonly gaps: number;
  /** The number of runs of containers whose last lines could not be read any more. */
  readonly lostRuns: number;
  /** The number of lines that were longer than `logs.maxLineLength`. */
  readonly truncated: number;
  /** Seconds for which streams were not read because their handlers were busy. */
  readonly blockedSeconds: number;
}

/** A watch whose state has changed, or that is new. */
export interface WatchSignal {
  readonly resource: Resource;
  /** The ids of the handlers of the resource. */
  readonly handlers: readonly string[];
}

/** The signals of an operator by their names: the messages of its diagnostic channels, its states, and the states of its watches. */
export type OperatorSignals = {
  readonly [Name in keyof typeof KOPF_CHANNELS]: (typeof KOPF_CHANNELS)[Name] extends DiagnosticChannel<infer Message>
    ? Readonly<Message>
    : never;
} & {
  /** A state into which the operator comes. A new listener gets the present one at once. */
  readonly state: OperatorState;
  readonly watchState: WatchSignal;
};

/** A stream of what happens at an operator. Only signals with a listener are created. */
export interface OperatorStream {
  /** Adds a listener, which is called in the middle of the work: it must return at once, and must not throw. */
  on<Name extends keyof OperatorSignals>(name: Name, listener: (signal: OperatorSignals[Name]) => void): this;
  /** Removes all listeners of this stream. */
  close(): void;
}

/**
 * The readings of an operator in this process: the counts that it keeps anyway, for gauges and probes. A reading costs as much as the
 * numbers in it; only {@link objects} visits all objects. No reading is kept, and none writes anything.
 */
export interface OperatorReadings {
  /** The name of the operator, which distinguishes its counts from those of others in the process. */
  readonly name: string;
  status(): OperatorStatus;
  watches(): readonly WatchReading[];
  queues(): readonly QueueReading[];
  /** The daemons and timers by their handlers, also those of which none runs. */
  background(): readonly BackgroundReading[];
  /** Counts objects in the memories of all of them. */
  objects(): ObjectReading;
  indices(): readonly IndexReading[];
  /** The peerings that the operator takes part in, and that of the settings. */
  peerings(): readonly PeeringReading[];
  reviews(): ReviewReading;
  logs(): LogReading;
  /**
   * Returns the name under which a handler is counted: its id, or `parent/*` for all sub-handlers of a handler, whose ids can come from
   * objects.
   */
  labelOfHandler(id: string): string;
  /**
   * Returns the names under which reviews are counted, by the ids in their paths: the ids of handlers, and `convert/…` for a CRD. Any other
   * id was sent by a client that is not the API server.
   */
  labelsOfWebhooks(): ReadonlyMap<string, string>;
  /** Opens a stream of what happens. It costs nothing until it has a listener. */
  stream(): OperatorStream;
}

/** The inspection of an operator in this process, which has the operator's own counts, too. */
export interface RunningInspection extends OperatorInspection {
  /** The counts that the operator keeps anyway, for gauges and probes, and a stream of what happens. */
  readonly readings: OperatorReadings;
}
