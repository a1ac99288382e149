// The entries of the log of what has happened to objects and their handlers, as plain data: simulations record them, and the console shows them,
// each in the same timeline.

/** The kinds of {@link OperatorEvent}. */
export type OperatorEventType =
  /** A process of the operator has started. */
  | 'start'
  /** The user of the cluster does something. */
  | 'operation'
  /** An object has changed. */
  | 'change'
  /** A handler is called. */
  | 'call'
  /** A handler has ended. */
  | 'outcome'
  /** Something outside of the cluster was done. */
  | 'effect'
  /** A fault begins. */
  | 'fault'
  /** A fault that has lasted is over. */
  | 'recovery'
  /** A check has failed. */
  | 'violation'
  /** Anything else. */
  | 'note';

/** The actor of an event: a replica of the operator, its user, the cluster, or a fault of a simulation. */
export interface OperatorEventActor {
  /** `cluster` stands for the API server, its controllers, and other clients. */
  readonly kind: 'operator' | 'user' | 'cluster' | 'fault';
  /** The name that timelines show: `operator`; `operator-2` if there are several replicas; the user agent of another client. */
  readonly name: string;
  /** The replica of the operator, counted from 1 on. */
  readonly replica?: number;
  /** The process of the operator, counted from 1 on over all replicas and restarts. */
  readonly process?: number;
}

/** An object in an event. */
export interface OperatorEventObject {
  /** The plural with the group: `pods`, `deployments.apps`. Absent in simulations. */
  readonly resource?: string;
  readonly kind: string;
  /** Absent for objects of the cluster. */
  readonly namespace?: string;
  readonly name: string;
}

/** The call of a handler in an event. */
export interface OperatorEventCall {
  readonly id: string;
  /** The reason of the change, `create`, or the kind of the handler, `timer`. */
  readonly reason: string;
  /** The number of the attempt, from 1 on. */
  readonly attempt: number;
  /** Absent while it runs; `retried` if there will be another attempt, `failed` if there will be none. */
  readonly outcome?: 'succeeded' | 'retried' | 'failed';
  readonly error?: string;
}

/** One field that a change has changed. Values of Secrets are `***`. */
export interface OperatorFieldDifference {
  /** The names of the field and of its parents: `['metadata', 'labels', 'example.com/a']`. */
  readonly path: readonly string[];
  /** Is `null` if the field was absent. */
  readonly old: unknown;
  /** Is `null` if the field is absent now. */
  readonly new: unknown;
}

/** The change of an object in an event. */
export interface OperatorEventChange {
  /** The number of the change among all changes of objects, from 1 on, as faults of plans have it. */
  readonly number: number;
  readonly type: 'added' | 'modified' | 'deleted';
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The fields that differ, without those that the server writes at each change; empty for deletions. */
  readonly fields: readonly OperatorFieldDifference[];
  /** The names of the actors that do not see the change when it is made, as a fault hides it from them. */
  readonly hiddenFrom: readonly string[];
}

/**
 * One entry of the event log: plain data, which can be stored as JSON. It says what has happened to an object and its handlers, and
 * nothing in it but {@link fault} belongs to simulations.
 */
export interface OperatorEvent {
  /** The place in the log, from 1 on. */
  readonly number: number;
  /** Seconds since the log began. */
  readonly time: number;
  readonly type: OperatorEventType;
  readonly actor: OperatorEventActor;
  /** The event in words, for people. */
  readonly text: string;
  /** The object that it is about, if it is about one. */
  readonly object?: OperatorEventObject;
  /** The handler, of calls and their outcomes. */
  readonly call?: OperatorEventCall;
  /** Whether it is about an error: of a call, of a patch, of the framework, or of a watch. */
  readonly isError?: boolean;
  /** The change, if an object has changed. */
  readonly change?: OperatorEventChange;
  /** The kind of the fault that begins or is over. */
  readonly fault?: string;
}
