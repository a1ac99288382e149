import type { ErrorsMode } from 'nestjs-kopf/decorators';

export type ChangeKind = 'create' | 'update' | 'delete' | 'resume' | 'field';
export type HandlerKind = ChangeKind | 'event' | 'daemon' | 'timer' | 'index';

/** The way in which a handler changes its object. */
export type Effect = 'nothing' | 'merge' | 'transform' | 'both';

/** One handler of a drawn operator. All durations are in seconds. */
export interface HandlerPlan {
  readonly kind: HandlerKind;
  readonly id: string;
  /** Tells whether it is only for objects with the label `on`. */
  readonly filtered: boolean;
  /** The field of the spec that it is for. */
  readonly field?: string;
  readonly errors?: ErrorsMode;
  readonly retries?: number;
  readonly backoff: number;
  /** The longest duration of a call; how long each call takes is drawn. */
  readonly duration: number;
  /** The probability that a call fails and is repeated, from 0 to 1. */
  readonly failing: number;
  /** The probability that a call fails for good, from 0 to 1. */
  readonly fatal: number;
  readonly effect: Effect;
  readonly result: boolean;
  /** The number of its sub-handlers. */
  readonly children: number;
  /** Deletion handlers: whether the object may go without them. */
  readonly optional?: boolean;
  /** Daemons: seconds after which they return on their own. */
  readonly lifespan?: number;
  /** Daemons: seconds that they take to exit. */
  readonly exit?: number;
  /** Timers: seconds between two invocations. */
  readonly interval?: number;
  readonly idle?: number;
}

/** A drawn operator: its handlers and its settings. */
export interface OperatorPlan {
  readonly handlers: readonly HandlerPlan[];
  readonly lifecycle: 'asap' | 'allAtOnce' | 'oneByOne' | 'randomized' | 'shuffled';
  readonly storage: 'smart' | 'annotations' | 'status' | 'multi';
  readonly progress: 'purge' | 'keep';
  readonly consistencyTimeout: number;
  readonly requestTimeout: number;
  readonly workerLimit: number | null;
  readonly streamedLists: boolean;
  readonly posting: boolean;
  readonly namespaced: boolean;
}

/** An action of a user on an object. */
export type UserAction =
  | { readonly do: 'create' | 'delete' | 'recreate' | 'replace' | 'revert' | 'label'; readonly name: string }
  | { readonly do: 'edit'; readonly name: string; readonly field: 'a' | 'b'; readonly value: number };

/** Which requests of the operator meet a fault. */
export type FaultTarget = 'write' | 'status' | 'read' | 'watch';

/** A fault between the operator and the API server. All durations are in seconds. */
export type FaultAction =
  | { readonly do: 'reject'; readonly target: FaultTarget; readonly status: number; readonly times: number }
  | {
      readonly do: 'lose';
      readonly target: FaultTarget;
      readonly phase: 'request' | 'answer' | 'body';
      readonly times: number;
    }
  | {
      readonly do: 'slow' | 'hang';
      readonly target: FaultTarget;
      readonly phase: 'request' | 'answer';
      readonly seconds: number;
      readonly times: number;
    }
  | { readonly do: 'silence'; readonly seconds: number; readonly then: 'lines' | 'reset' | 'end' | 'nothing' }
  | { readonly do: 'reset' | 'end' | 'gone' | 'broken-line' | 'expire' }
  | { readonly do: 'down'; readonly seconds: number; readonly forgetful: boolean };

/** An action on the process of the operator. */
export type OperatorAction =
  { readonly do: 'crash'; readonly seconds: number } | { readonly do: 'restart'; readonly seconds: number };

export type Action = UserAction | FaultAction | OperatorAction;

/** When a step is done: some seconds after the step before it, or at a point of the operator's work after that. */
export type Trigger =
  { readonly after: number } | { readonly at: 'before-write' | 'after-write' | 'in-handler'; readonly count: number };

export interface Step {
  readonly when: Trigger;
  readonly action: Action;
}

/** All that is drawn from one seed. The same plan leads to the same run. */
export interface SchedulePlan {
  readonly seed: number;
  readonly statusSubresource: boolean;
  readonly historySize: number;
  readonly operator: OperatorPlan;
  readonly steps: readonly Step[];
}
