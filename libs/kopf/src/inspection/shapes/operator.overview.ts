/** The state of an operator; `observed` if it runs elsewhere, and only its objects are seen. */
export type InspectedOperatorState =
  'stopped' | 'starting' | 'running' | 'draining' | 'stopping' | 'failed' | 'observed';

/**
 * The numbers of the present activity, as in `api/now`: handlers in work, handlers that wait, objects that fail or are stuck; and objects,
 * daemons, and timers.
 */
export interface OperatorCounts {
  readonly objects: number;
  readonly inWork: number;
  readonly waiting: number;
  readonly failing: number;
  /** The number of objects on which a handler has failed for good. They count as failing, too. */
  readonly failed: number;
  /** The number of objects that are stuck. They count as failing, too. */
  readonly stuck: number;
  readonly deleting: number;
  readonly daemons: number;
  readonly timers: number;
}

/** One resource whose objects are shown, for filters. */
export interface InspectedResource {
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The number of objects. */
  readonly objects: number;
}

/** A resource of handlers that the cluster does not serve. */
export interface InspectedUnservedResource {
  /** The resource as the decorators name it. */
  readonly resource: string;
  /** The reason, and which resource can be meant. */
  readonly reason: string;
  /** The methods that name it, and are not called: `Operator.create`. */
  readonly handlers: readonly string[];
}

/** One reason for which an operator is not healthy, in a sentence. */
export interface InspectedProblem {
  /** `state`, `credentials`, `watches`, `handlers`, `resources`, or `leadership`. */
  readonly part: string;
  readonly text: string;
  /** Whether the operator does not work because of it; otherwise, a part of its work is concerned. */
  readonly isSevere: boolean;
}

/** An operator, its state, and its numbers. */
export interface OperatorOverview {
  readonly framework: 'nestjs-kopf' | 'kopf';
  readonly state: InspectedOperatorState;
  /** When the operator has started, in milliseconds since the epoch. */
  readonly since?: number;
  /** The condition that a starting operator waits for. */
  readonly waitingFor?: string;
  /** The reason why the operator has failed. */
  readonly failure?: string;
  /** The reasons why the operator pauses; empty if it works. */
  readonly paused: readonly string[];
  /** The resources of handlers that the cluster does not serve; absent if it serves all, or if that is not known. */
  readonly unserved?: readonly InspectedUnservedResource[];
  /** The name of this process among the operators of the cluster. */
  readonly identity: string;
  /** The server's address, without credentials, and its version. */
  readonly cluster?: { readonly host: string; readonly version?: string };
  /** The reasons for which the operator is not healthy, the severe ones first; absent if its health is not known. */
  readonly problems?: readonly InspectedProblem[];
  readonly counts: OperatorCounts;
  readonly resources: readonly InspectedResource[];
  /** Since when calls and events are recorded, in milliseconds since the epoch; absent if they are not. */
  readonly recordedSince?: number;
  /** The time of the answer on the clock of the operator, in milliseconds since the epoch. */
  readonly now: number;
}
