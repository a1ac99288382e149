import type { KubeObject } from 'nestjs-kopf';
import { foldedName, type FinalState } from '../oracles/final.state.js';
import type { ObjectCounts } from '../oracles/object.counts.js';
import type { ExcusedProperty } from '../oracles/property.oracle.js';
import type { Violation } from '../oracles/violation.js';
import type { RejectedPatchFault, SimulationFault, SimulationPlan } from '../simulation.plan.js';
import type { FaultEngine, TracedRead, TracedRequest } from '../faults/fault.engine.js';
import type { TimedIntervention } from './interventions.js';
import type { Timeline } from './timeline.js';
import { isTransient } from '../world/world.objects.js';
import { USER_AGENT, type WorldChange } from '../world/world.server.js';

/** A change of an object, as plans are made of it. */
export interface TracedChange {
  readonly number: number;
  readonly resource: string;
  readonly object: string;
  readonly type: WorldChange['type'];
  readonly isOperator: boolean;
  readonly isUser: boolean;
  /** Whether the resource is transient: events, leases, and the like. */
  readonly isTransient: boolean;
  /** The number of writes of the operator before the change. */
  readonly writes: number;
  /** The number of times that the operator was at rest before the change. */
  readonly rests: number;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Conditions of a reference run, beside its plan. */
export interface RunConditions {
  /** Whether the operator sees only the last state of each series of concurrent edits. */
  readonly isMerged?: boolean;
  /** Interventions that are made while the operator is at rest. */
  readonly atRest?: readonly TimedIntervention[];
}

/** The result of a run. */
export interface RunRecord {
  readonly plan: SimulationPlan;
  readonly violations: readonly Violation[];
  readonly changes: readonly TracedChange[];
  readonly writes: number;
  /** The writing requests of the operator. */
  readonly requests: readonly TracedRequest[];
  /** The reading requests of the operator. */
  readonly reads: readonly TracedRead[];
  /** The number of reviews that the API server has sent to the operator. */
  readonly reviews: number;
  /** The operations of the workload, or its commands, in words, also those that the plan leaves out. */
  readonly workload: readonly string[];
  /** The number of requests of the user. A command of the workload can send several. */
  readonly operations: number;
  readonly state: FinalState;
  readonly counts: ObjectCounts;
  readonly effects: ReadonlySet<string>;
  readonly reached: ReadonlySet<string>;
  readonly fired: ReadonlySet<SimulationFault>;
  /** The rejections of patches that have happened, and after which a part is never stored. */
  readonly unstorable: readonly RejectedPatchFault[];
  /** Whether handlers may retry without end to store what is rejected until the end of the run. They delay later changes of their objects. */
  readonly isHeld: boolean;
  /** The faults of the plan that have not happened. */
  readonly missed: readonly SimulationFault[];
  /** The interventions that were made. */
  readonly interventions: readonly TimedIntervention[];
  readonly timeline: Timeline;
  /** The digest of everything that has happened, with all fields of all objects. */
  readonly digest: string;
  /** The ways in which handlers were called, as keys of `CallCoverage`. */
  readonly covered: ReadonlySet<string>;
  /** Whether the API server has rejected the last state that the user wanted. */
  readonly isRejected: boolean;
  /** Whether the operator or the API server refuses the last state of the object that is changed: a handler or a request has failed for good. */
  readonly isRefused: boolean;
  /** The properties of the user that did not hold, and need not hold in this run. */
  readonly excused: readonly ExcusedProperty[];
  /** The ids of the handlers of changes, whose results are in the status. */
  readonly handlers: ReadonlySet<string>;
  /** Whether the user has edited an object again before the operator was at rest. */
  readonly hasConcurrentEdits: boolean;
  /** Whether there are timers or daemons, which act without any event. */
  readonly hasBackground: boolean;
  /** The resources that the operator watches at the end. */
  readonly watched: ReadonlySet<string>;
}

/** Creates the trace of a change that has just been made. */
export function traceChange(change: WorldChange, isOperator: boolean, faults: FaultEngine): TracedChange {
  const { type, resource, object, previous, userAgent } = change;
  return {
    number: faults.changes + 1,
    resource,
    object: foldedName(object),
    type,
    isOperator,
    isUser: userAgent === USER_AGENT,
    isTransient: isTransient(resource),
    writes: faults.writes,
    rests: faults.rests,
    before: type === 'ADDED' ? undefined : previous,
    after: type === 'DELETED' ? undefined : object,
  };
}
