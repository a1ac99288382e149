import type { TestingModuleBuilder } from '@nestjs/testing';
import type { KubeDeleteOptions } from '../client/kube.client.options.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ObjectReference } from '../testing/test.client.js';
import type { FieldValues } from '../testing/schema.values.js';
import type { TestManifest, TestManifestObject } from '../testing/test-manifests.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import type { SimulationPlan } from './simulation.plan.js';

/** The cluster that each run begins with. */
export interface SimulatedWorldOptions {
  /** Files and folders with objects in YAML or JSON: CRDs, roles. */
  readonly manifests?: string | readonly string[];
  /** Objects, or texts in YAML or JSON, after the manifests. */
  readonly objects?: TestManifest;
  /** Options of the embedded server, as `EmbeddedKube.start()` takes them: `{ pods: true }`. */
  readonly kube?: object;
}

/** The user of the cluster in a run, who does what the workload says. */
export interface SimulatedUser {
  /** Creates the object or changes it to be as given, by server-side apply. */
  apply(object: TestManifestObject): Promise<KubeObject>;
  /** Merges a patch into an object. @param subresource `status`; by default, the object itself */
  patch(object: ObjectReference, patch: object, subresource?: string): Promise<KubeObject>;
  /**
   * Deletes an object. It stays as long as there are finalizers.
   *
   * @param options say by `propagationPolicy` what becomes of its dependants: with `Foreground`, the object stays until they are gone; with
   * `Orphan`, they stay. By default, the garbage collector deletes them when the object is gone.
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
  /** Tells whether the model is in a state in which the action is possible; otherwise, the command is skipped. */
  check(model: Readonly<Model>): boolean | Promise<boolean>;
  /** Changes the cluster, and the model in the same way. It waits for the operator only where it calls `kube.settled()`. */
  run(model: Model, kube: SimulatedUser): unknown;
  /** Names the command in the timeline, and in files of plans. */
  toString(): string;
}

/** A workload of commands, such as a sequence that fast-check has drawn. A plan leaves out whole commands. */
export interface SimulatedCommands<Model = any> {
  /** The commands in their order, such as a value of `fc.commands()`. They are read again in each run, so a generator is refused. */
  readonly commands: Iterable<SimulatedCommand<Model>>;
  /** Creates the model. It is called in each run, and must return a new one each time. */
  readonly model: () => Model;
}

/** The actions of the user of the cluster, as a function, or as commands. */
export type SimulatedWorkload<Model = any> = ((kube: SimulatedUser) => Promise<unknown>) | SimulatedCommands<Model>;

/** The state of the cluster and of the world outside of it, as properties see it. Nothing of it may be changed. */
export interface SimulatedState {
  /** All objects of a kind. @param kind as in manifests: `Pod` */
  list<T extends KubeObject = KubeObject>(kind: string, namespace?: string): readonly T[];
  find<T extends KubeObject = KubeObject>(object: ObjectReference): T | undefined;
  readonly effects: SimulatedEffects;
}

/** An effect outside of the cluster. */
export interface SimulatedEffect {
  /** Names what was done: `bucket.create`. */
  readonly kind: string;
  /** Names what it was done to. */
  readonly key: string;
}

/** The world outside of the cluster. It survives the crashes of the operator. */
export interface SimulatedEffects {
  /** All effects so far, in their order. */
  readonly all: readonly SimulatedEffect[];
  /** Has whatever the fakes of external systems remember. */
  readonly memory: Map<string, unknown>;
  /**
   * Notes an effect. The operator can crash right after it: then the promise is never settled. After a crash, what is left of
   * the process has no effects any more.
   *
   * @param change is what the effect does to the fake; it is not called for a process that has ended.
   */
  record(kind: string, key: string, change?: () => void): Promise<void>;
}

/** A statement about the world: false, a text, or an error say that it does not hold. Its name is that of the function. */
export type SimulationProperty = (state: SimulatedState) => unknown;

/**
 * Describes the changes of an object that are drawn from the schema of its CRD; of other resources, from the types of what the object has.
 * A change that is taken back, and several changes in a row, must end as if the object had been created as it is in the end.
 */
export interface SimulatedChanges {
  /** The object as a user creates it: one that the operator can bring about. */
  readonly object: TestManifestObject;
  /** The number of plans with changes. @default 100 */
  readonly runs?: number;
  /** The paths of the parts that are changed: `spec`, `spec.disks[].size`. @default all but the metadata and the status */
  readonly fields?: readonly string[];
  /** Makes values of fields for which the schema says too little, by their paths: `spec.disks[].size`. */
  readonly values?: FieldValues;
}

/** Names the checks of every run. */
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

/** Configures {@link simulate}. */
export interface SimulationOptions<Model = any> {
  readonly world?: SimulatedWorldOptions;
  /**
   * Does what the user of the cluster does: a function, or commands with their model. It is called in each run, and must do the same each time.
   *
   * @default creates the object of `changes`
   */
  readonly workload?: SimulatedWorkload<Model>;
  /** Has an object changed as its schema allows, in plans of their own beside those of the workload. */
  readonly changes?: SimulatedChanges;
  /** Must hold after each change of an object. */
  readonly always?: readonly SimulationProperty[];
  /** Must hold in the end, when the operator is at rest. */
  readonly eventually?: readonly SimulationProperty[];
  /** Must hold after some change in some run, so that it is known to have been tried. */
  readonly sometimes?: readonly SimulationProperty[];
  /** @default 'exhaustive' */
  readonly plans?: SimulationPlans;
  /** Limits the number of plans. @default 1000 */
  readonly limit?: number;
  /** Ends after so many different findings. @default 5 */
  readonly stopAfter?: number;
  /** Limits the runs that make a finding smaller. With 0, it is reported with the plan that has found it. @default 60 */
  readonly shrinking?: number;
  /** Is called after each plan that was run, with their number so far: to show progress. */
  readonly onPlan?: (plans: number) => void;
  /** The number of processes of the operator that run at the same time. @default 1 */
  readonly replicas?: number;
  /** The options of `KopfModule.forRoot()`, which is added unless the module imports it. */
  readonly kopf?: Omit<KopfModuleOptions, 'clock' | 'random' | 'credentials'>;
  /**
   * Calls the operator's own handlers of `@OnLogin` whenever it needs credentials: at its start, when they expire, and when the API server has
   * rejected them. Wherever they lead, requests go to the cluster of the run. @default false: credentials come without any handler
   */
  readonly logins?: boolean;
  /** Changes the module each time when a process starts: replaces what works outside of the cluster by fakes. */
  readonly override?: (builder: TestingModuleBuilder, effects: SimulatedEffects) => unknown;
  /** Switches checks off. @default all are on */
  readonly oracles?: Partial<Record<SimulationOracle, boolean>>;
  /**
   * Selects what may differ: objects and their fields in the end, as `ConfigMap default/a .data.seen`; and what may be done more often than
   * without faults, as `ConfigMap default/a is created`, or `the effect bucket.create a`. Texts are their beginnings.
   */
  readonly ignore?: readonly (string | RegExp)[];
  /** Limits how often the operator may change one object in a minute of virtual time: more is a hot loop. @default 120 */
  readonly writesPerMinute?: number;
  /**
   * Seconds within which the operator must come to rest.
   *
   * @default 7200, or less if handlers do nothing else than fail: for 600 seconds and in 10 attempts, with the same error and for the same state
   * of their object, other than by a `TemporaryError`
   */
  readonly patience?: number;
  /**
   * Seconds without any change after which an operator with daemons or timers is at rest.
   *
   * @default twice the longest interval, at least 5; and not before those that are due within ten minutes were called once, or again, if they fail
   */
  readonly quiet?: number;
  /** @default 1 */
  readonly seed?: number;
  /**
   * A real cluster that runs the plans, instead of one in the process: the path of a kubeconfig file, or its text. Only plans that are given can
   * be run. What a run creates is deleted afterwards, so it needs a cluster that nobody else works with.
   */
  readonly cluster?: string;
  /** The file that exports the simulation, for the command that a finding prints: `kopf simulate` gives it. */
  readonly file?: string;
}
