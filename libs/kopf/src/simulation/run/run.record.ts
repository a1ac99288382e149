import type { KubeObject } from '../../objects/kube-object.js';
import { foldedName, type FinalState } from '../oracles/final.state.js';
import type { ObjectCounts } from '../oracles/object.counts.js';
import type { Violation } from '../oracles/violation.js';
import type { RejectedPatchFault, SimulationFault, SimulationPlan } from '../simulation.plan.js';
import type { FaultEngine, TracedRead, TracedRequest } from './fault.engine.js';
import type { TimedIntervention } from './interventions.js';
import type { Timeline } from './timeline.js';
import { isTransient } from './world.objects.js';
import { USER_AGENT, type WorldChange } from './world.server.js';

/** A change of an object, as plans are made of it. */
export interface TracedChange {
  readonly number: number;
  readonly resource: string;
  readonly object: string;
  readonly type: WorldChange['type'];
  readonly isOperator: boolean;
  readonly isUser: boolean;
  /** Is true for events, leases, and the like. */
  readonly isTransient: boolean;
  /** The number of writes of the operator before it. */
  readonly writes: number;
  /** The number of times that the operator was at rest before it. */
  readonly rests: number;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Conditions of a run that others are compared with, beside its plan. */
export interface RunConditions {
  /** Lets the operator see only the last state of what the user does in a edits. */
  readonly isMerged?: boolean;
  /** Happen while the operator is at rest. */
  readonly atRest?: readonly TimedIntervention[];
}

/** All that has come of a run. */
export interface RunRecord {
  readonly plan: SimulationPlan;
  readonly violations: readonly Violation[];
  readonly changes: readonly TracedChange[];
  readonly writes: number;
  /** The requests of the operator that were to write. */
  readonly requests: readonly TracedRequest[];
  /** The requests of the operator for objects. */
  readonly reads: readonly TracedRead[];
  /** Counts the reviews that the API server has sent to the operator. */
  readonly reviews: number;
  /** The operations of the workload, or its commands, in words, also those that the plan leaves out. */
  readonly workload: readonly string[];
  /** The number of requests of the user: commands of the workload can make several. */
  readonly operations: number;
  readonly state: FinalState;
  readonly counts: ObjectCounts;
  readonly effects: ReadonlySet<string>;
  readonly reached: ReadonlySet<string>;
  readonly fired: ReadonlySet<SimulationFault>;
  /** The rejections of patches that have come to pass, and after which something is never stored. */
  readonly unstorable: readonly RejectedPatchFault[];
  /** Is true if handlers may try for ever to store what is rejected for ever: they hold what comes after them for their objects. */
  readonly isHeld: boolean;
  /** The faults of the plan that have not come to pass. */
  readonly missed: readonly SimulationFault[];
  /** The interventions that were made. */
  readonly interventions: readonly TimedIntervention[];
  readonly timeline: Timeline;
  /** The digest of all that has happened, with all fields of all objects. */
  readonly digest: string;
  /** The ways in which handlers were called, as `CallCoverage` notes them. */
  readonly covered: ReadonlySet<string>;
  /** Is true if the API server did not take the last state that the user wanted. */
  readonly isRejected: boolean;
  /** Is true if a handler of changes could not do its work in the end. */
  readonly isFailing: boolean;
  /** The ids of the handlers of changes, whose results are in the status. */
  readonly handlers: ReadonlySet<string>;
  /** Is true if the user has changed an object again before the operator was at rest. */
  readonly hasConcurrentEdits: boolean;
  /** Is true if there are timers or daemons, which do something without any event. */
  readonly hasBackground: boolean;
  /** The resources that the operator has watched in the end. */
  readonly watched: ReadonlySet<string>;
}

/** Makes the trace of a change that has just been made. */
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
