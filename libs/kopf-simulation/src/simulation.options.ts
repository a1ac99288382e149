import type { DynamicModule, Type } from '@nestjs/common';
import type { TestingModuleBuilder } from '@nestjs/testing';
import type { KopfModuleOptions, KubeDeleteOptions, KubeObject } from 'nestjs-kopf';
import type { FieldValues, ObjectReference, TestManifest, TestManifestObject } from 'nestjs-kopf/testing';
import type { SimulationFault, SimulationPlan } from './simulation.plan.js';

/** The cluster that each run begins with. */
export interface SimulatedWorldOptions {
  /** Files and folders with objects in YAML or JSON: CRDs, roles. */
  readonly manifests?: string | readonly string[];
  /** Objects, or texts in YAML or JSON, after the manifests. */
  readonly objects?: TestManifest;
  /** Options of the embedded server, as `EmbeddedKube.start()` takes them: `{ pods: true }`. */
  readonly kube?: object;
}

/** The user of the cluster in a run. The workload calls its methods. */
export interface SimulatedUser {
  /** Creates the object, or changes it to the given state, by server-side apply. */
  apply(object: TestManifestObject): Promise<KubeObject>;
  /** Merges a patch into an object. @param subresource such as `status`; by default, the object itself */
  patch(object: ObjectReference, patch: object, subresource?: string): Promise<KubeObject>;
  /**
   * Deletes an object. It stays as long as there are finalizers.
   *
   * @param options `propagationPolicy` decides about its dependants: with `Foreground`, the object stays until they are gone; with `Orphan`, they
   *   stay. By default, the garbage collector deletes them when the object is gone.
   */
  delete(object: ObjectReference, options?: Pick<KubeDeleteOptions, 'propagationPolicy'>): Promise<void>;
  /**
   * Deletes an object, and creates it under the same name as soon as it is gone: when there are no finalizers any more. The promise
   * does not wait for that.
   */
  recreate(object: TestManifestObject): Promise<void>;
  /** Reads an object as it is now; `undefined` if there is none. */
  find<T extends KubeObject = KubeObject>(object: ObjectReference): T | undefined;
  /** Lets time pass until the operator is at rest: no request is under way, no handler is called, and none is due. */
  settled(): Promise<void>;
  /** Lets time pass. */
  advance(seconds: number): Promise<void>;
}

/**
 * An action of the user that is written as fast-check writes commands: `AsyncCommand<Model, SimulatedUser>`, or `Command`.
 *
 * @example
 * class Delete implements SimulatedCommand<{ isThere: boolean }> {
 *   check({ isThere }) {
 *     return isThere;
 *   }
 *   async run(model, kube) {
 *     model.isThere = false;
 *     await kube.delete(claim);
 *   }
 *   toString() {
 *     return 'delete';
 *   }
 * }
 */
export interface SimulatedCommand<Model = any> {
  /** Whether the action is possible in the state of the model. If not, the command is skipped. */
  check(model: Readonly<Model>): boolean | Promise<boolean>;
  /** Changes the cluster, and the model in the same way. It waits for the operator only where it calls `kube.settled()`. */
  run(model: Model, kube: SimulatedUser): unknown;
  /** The name of the command in the timeline, and in files of plans. */
  toString(): string;
}

/** A workload of commands, such as a sequence that fast-check has drawn. A plan leaves out whole commands. */
export interface SimulatedCommands<Model = any> {
  /** The commands in their order, such as a value of `fc.commands()`. They are read again in each run, so a generator is rejected. */
  readonly commands: Iterable<SimulatedCommand<Model>>;
  /** Creates the model. It is called in each run, and must return a new one each time. */
  readonly model: () => Model;
}

/** The actions of the user of the cluster, as a function, or as commands. */
export type SimulatedWorkload<Model = any> = ((kube: SimulatedUser) => Promise<unknown>) | SimulatedCommands<Model>;

/** The state of the cluster and of the world outside of it, as properties see it. It is read-only. */
export interface SimulatedState {
  /** All objects of a kind. @param kind as in manifests: `Pod` */
  list<T extends KubeObject = KubeObject>(kind: string, namespace?: string): readonly T[];
  find<T extends KubeObject = KubeObject>(object: ObjectReference): T | undefined;
  readonly effects: SimulatedEffects;
}

/** An effect outside of the cluster. */
export interface SimulatedEffect {
  /** The action: `bucket.create`. */
  readonly kind: string;
  /** The target of the action. */
  readonly key: string;
}

/** The world outside of the cluster. It survives the crashes of the operator. */
export interface SimulatedEffects {
  /** All effects so far, in their order. */
  readonly all: readonly SimulatedEffect[];
  /** The memory of the fakes of external systems. */
  readonly memory: Map<string, unknown>;
  /**
   * Records an effect. The operator can crash right after it: then the promise is never settled. After a crash, the rest of the process has no
   * effects any more.
   *
   * @param change applies the effect to the fake; it is not called for a process that has ended.
   */
  record(kind: string, key: string, change?: () => void): Promise<void>;
}

/** A statement about the world. It does not hold if it returns false or a text, or throws an error. Its name is that of the function. */
export type SimulationStatement = (state: SimulatedState) => unknown;

/** A property that some faults make impossible. The report counts the runs in which one of them excuses it. */
export interface ConditionalProperty {
  readonly holds: SimulationStatement;
  /**
   * The kinds of the faults after which the property need not hold; a rejected patch counts only if the part is never stored. With an empty list, no
   * fault excuses it, not even one with the option `excuses`.
   */
  readonly unless: readonly SimulationFault['kind'][];
}

/** A rule of the user: a statement, or one with the faults that make it impossible. */
export type SimulationProperty = SimulationStatement | ConditionalProperty;

/**
 * Changes of an object that are drawn from the schema of its CRD or, for other resources, from the types of its values. A change that is taken back,
 * and several changes in a row, must end as if the object had been created in its last state.
 */
export interface SimulatedChanges {
  /** The object as a user creates it, in a state that the operator can reach. */
  readonly object: TestManifestObject;
  /** The number of plans with changes. @default 100 */
  readonly runs?: number;
  /** The paths of the parts that are changed: `spec`, `spec.disks[].size`. @default all but the metadata and the status */
  readonly fields?: readonly string[];
  /** Makes values of fields for which the schema says too little, by their paths: `spec.disks[].size`. */
  readonly values?: FieldValues;
}

/** The names of the checks of every run. */
export type SimulationOracle =
  | 'convergence'
  | 'final-state'
  | 'changes'
  | 'surplus'
  | 'overlap'
  | 'repetition'
  | 'retries'
  | 'delays'
  | 'leadership'
  | 'stuck-deletion'
  | 'progress'
  | 'last-handled'
  | 'finalizers'
  | 'background'
  | 'indices'
  | 'leaks'
  | 'rejections'
  | 'hot-loop'
  | 'deterministic'
  | 'idle';

/** The plans that are run. */
export type SimulationPlans =
  | 'exhaustive'
  | {
      /** The number of random plans. */
      readonly random: number;
      readonly seed?: number;
    }
  | readonly SimulationPlan[];

/** Options of {@link simulate}. */
export interface SimulationOptions<Model = any> {
  readonly world?: SimulatedWorldOptions;
  /**
   * The actions of the user of the cluster: a function, or commands with their model. It is called in each run, and must do the same each time.
   *
   * @default creates the object of `changes`
   */
  readonly workload?: SimulatedWorkload<Model>;
  /** Changes of an object as its schema allows, in plans beside those of the workload. */
  readonly changes?: SimulatedChanges;
  /** Properties that must hold after each change of an object. */
  readonly always?: readonly SimulationProperty[];
  /** Properties that must hold at the end, when the operator is at rest. */
  readonly eventually?: readonly SimulationProperty[];
  /** Properties that must hold after some change in some run. They show that the plans bring the operator into these states. */
  readonly sometimes?: readonly SimulationProperty[];
  /** @default 'exhaustive' */
  readonly plans?: SimulationPlans;
  /** The most plans that are run. @default 1000 */
  readonly limit?: number;
  /** The number of different findings after which the simulation ends. @default 5 */
  readonly stopAfter?: number;
  /** The most runs that reduce a finding. With 0, it is reported with the plan that has found it. @default 60 */
  readonly shrinking?: number;
  /** Called after each plan, with the number of plans so far: to show progress. */
  readonly onPlan?: (plans: number) => void;
  /** The number of processes of the operator that run at the same time. @default 1 */
  readonly replicas?: number;
  /**
   * Modules of other operators on the same cluster, each with its own KopfModule: what yours must get along with. They meet no faults, and what they
   * write counts as a part of the state of the cluster.
   *
   * @default none
   */
  readonly beside?: readonly (Type | DynamicModule)[];
  /** The options of `KopfModule.forRoot()`, which is added unless the module imports it. */
  readonly kopf?: Omit<KopfModuleOptions, 'clock' | 'random' | 'credentials'>;
  /**
   * Whether the operator's own handlers of `@OnLogin` are called when it needs credentials: at its start, when they expire, and when the API server
   * has rejected them. Whatever they return, requests go to the cluster of the run.
   *
   * @default false: credentials come without any handler
   */
  readonly logins?: boolean;
  /** Changes the module at each start of a process: replaces external systems by fakes. */
  readonly override?: (builder: TestingModuleBuilder, effects: SimulatedEffects) => unknown;
  /** Checks to switch off: `{ overlap: false }`. @default all are on */
  readonly oracles?: Partial<Record<SimulationOracle, boolean>>;
  /**
   * What may differ: objects and their fields at the end, as `ConfigMap default/a .data.seen`; and what may be done more often than without faults,
   * as `ConfigMap default/a is created`, or `the effect bucket.create a`. A text matches everything that begins with it.
   */
  readonly ignore?: readonly (string | RegExp)[];
  /** The most changes of one object by the operator in a minute of virtual time: more is a hot loop. @default 120 */
  readonly writesPerMinute?: number;
  /**
   * Seconds within which the operator must come to rest.
   *
   * @default 7200, or less if that is in vain: handlers only fail, with the same error and for the same state of their object, for 600 seconds in 10
   *   attempts, or in 100 attempts with a `TemporaryError`; or an object is brought into the same states 10 times, in a hot loop or after 600 seconds
   */
  readonly patience?: number;
  /**
   * Seconds without any change after which an operator with daemons or timers is at rest.
   *
   * @default twice the longest interval, at least 5; and not before daemons and timers that are due within ten minutes were called once, or again, if
   *   they fail
   */
  readonly quiet?: number;
  /** Seconds of processor time that the run of a plan may take. A plan that takes more is a finding, as it would take very long. @default 60 */
  readonly budget?: number;
  /** Called when the run of a plan takes long, each 5 seconds of processor time, with the seconds so far. */
  readonly onSlowPlan?: (plan: SimulationPlan, seconds: number) => void;
  /** @default 1 */
  readonly seed?: number;
  /**
   * A real cluster that runs the plans, instead of one in the process: the path of a kubeconfig file, or its text. Only plans that are given
   * explicitly can be run. The objects of a run are deleted afterwards, so the cluster must not be used for anything else.
   */
  readonly cluster?: string;
  /** The file that exports the simulation, for the command that a finding prints. `kopf simulate` sets it. */
  readonly file?: string;
}
