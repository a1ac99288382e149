/** An operator and what its user does, as plain JSON: both sides, Python and ours, make their handlers of it. */
export interface Program {
  readonly name: string;
  /** Which of both resources the objects are of: with the status as a subresource, or without. */
  readonly statusSubresource: boolean;
  readonly settings: ProgramSettings;
  readonly handlers: readonly HandlerPlan[];
  readonly steps: readonly StepPlan[];
  /** Where the operator is replaced in the runs of the handover. */
  readonly cut: CutPlan;
}

/** Absent settings keep the defaults. */
export interface ProgramSettings {
  readonly finalizer?: string;
  readonly lifecycle?: 'asap' | 'all_at_once' | 'one_by_one';
  /** Seconds. */
  readonly defaultBackoff: number;
  /** Seconds. */
  readonly consistencyTimeout: number;
  readonly progress?: StoragePlan;
  readonly diffbase?: StoragePlan;
}

/** The class of a storage, and its options under the names that both sides share. */
export interface StoragePlan {
  readonly kind: 'annotations' | 'status' | 'smart';
  readonly prefix?: string;
  readonly key?: string;
  readonly name?: string;
  readonly v1?: boolean;
  readonly ignored?: readonly string[];
}

export type HandlerKind = 'create' | 'update' | 'delete' | 'resume' | 'field' | 'event';

/** One function with its decorators, the topmost first. */
export interface HandlerPlan {
  readonly id: string;
  readonly decorators: readonly DecoratorPlan[];
  readonly body: BodyPlan;
}

export interface DecoratorPlan {
  readonly kind: HandlerKind;
  readonly options: OptionsPlan;
}

/** Options of handlers whose names are the same on both sides; filters are plans of their own. */
export interface OptionsPlan {
  readonly field?: string;
  readonly value?: FilterPlan;
  readonly old?: FilterPlan;
  readonly new?: FilterPlan;
  readonly labels?: Readonly<Record<string, FilterPlan>>;
  readonly annotations?: Readonly<Record<string, FilterPlan>>;
  readonly when?: PredicatePlan & { readonly path: readonly string[] };
  readonly errors?: 'temporary' | 'permanent' | 'ignored';
  readonly retries?: number;
  readonly timeout?: number;
  readonly backoff?: number;
  readonly optional?: boolean;
  readonly deleted?: boolean;
  readonly param?: unknown;
}

export type FilterPlan =
  { readonly token: 'PRESENT' | 'ABSENT' } | { readonly literal: unknown } | { readonly predicate: PredicatePlan };

/** Decides on one value, which can be absent. */
export interface PredicatePlan {
  readonly test: 'equals' | 'differs' | 'exists';
  readonly value?: unknown;
}

/** The plans of a handler's attempts, by their number; the last plan holds for all later attempts. */
export interface BodyPlan {
  readonly attempts: readonly AttemptPlan[];
  readonly children: readonly ChildPlan[];
  /** Tells whether children are executed before the handler goes on, and not after it. */
  readonly executes: boolean;
}

export interface ChildPlan {
  readonly id: string;
  readonly options: OptionsPlan;
  readonly body: BodyPlan;
}

export interface AttemptPlan {
  readonly patches: readonly PatchPlan[];
  readonly error?: ErrorPlan;
  readonly result?: unknown;
}

export interface PatchPlan {
  readonly part: 'spec' | 'status' | 'labels' | 'annotations' | 'transformation';
  readonly key: string;
  readonly value: unknown;
  /** Tells whether it is left out if the object has the key already, in any part. */
  readonly once?: boolean;
}

export interface ErrorPlan {
  readonly kind: 'temporary' | 'permanent' | 'arbitrary';
  readonly message: string;
  /** Seconds; `null` is passed on as it is, absent leaves the default. */
  readonly delay?: number | null;
}

/** When an action of the user comes: at rest, while handlers wait for their delay, or in the n-th call from then on. */
export type TimingPlan = 'rest' | 'delayed' | { readonly call: number };

export type StepPlan = { readonly timing: TimingPlan } & (
  | { readonly action: 'start' | 'stop' | 'delete' | 'recreate' }
  | { readonly action: 'create'; readonly object: Readonly<Record<string, unknown>> }
  | { readonly action: 'patch'; readonly patch: Readonly<Record<string, unknown>>; readonly status?: boolean }
);

/** Where an operator is killed: in a call, or before or after the server has got one of its writes; or stopped at a step. */
export type CutPlan =
  | { readonly at: 'call'; readonly index: number }
  | { readonly at: 'write'; readonly index: number; readonly delivered: boolean }
  | { readonly at: 'stop'; readonly step: number };
