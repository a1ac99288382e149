import { stringifyJson } from '../objects/exact-json.js';
import type { TestManifestObject } from '../testing/test-manifests.js';
import { describeChange } from './plans/object.states.js';

/**
 * A part of the patches that the framework makes of a handler's work and of its own state: the `status`, also where it is no subresource; the
 * `annotations` in which the framework keeps its state; the `finalizers`; or everything of the `object` but a status that is a subresource.
 */
export type PatchPart = 'status' | 'object' | 'annotations' | 'finalizers';

/** The format of a patch: a merge patch, a JSON patch, or server-side apply. */
export type PatchFormat = 'merge' | 'json' | 'apply';

/**
 * The error response to a patch: one with a status; `schema` is a 422 with the field that is invalid, `etcd` a 500 since the object is too large for
 * etcd, `policy` a 422 of a ValidatingAdmissionPolicy, `webhook` a 403 of a validating webhook.
 */
export type PatchRejection = 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503 | 'schema' | 'etcd' | 'policy' | 'webhook';

/**
 * One thing that goes wrong in a run. Changes, writes, attempts, and reads are counted from 1 on, over the whole run: changes of objects by
 * anybody, writes and effects of the operator that changed something, all its requests that were to write, and those that were to read objects.
 */
export type SimulationFault =
  // The process ends as by SIGKILL: when a write or an effect is done, before it hears of it, or before a request is sent.
  | ({
      readonly kind: 'crash';
      /** Seconds until the next process starts. @default 1 */
      readonly downtime?: number;
    } & ({ readonly afterWrite: number } | { readonly beforeAttempt: number }))
  // A replica stands still, as a process does that is stopped, or whose machine is. Meanwhile it sends and hears nothing, and its timers do
  // not fire; afterwards, all of that comes late.
  | ({
      readonly kind: 'freeze';
      /** @default 60, which is longer than other replicas wait for the holder of a Lease */
      readonly seconds?: number;
    } & ({ readonly afterWrite: number } | { readonly beforeAttempt: number }))
  | {
      readonly kind: 'lost-answer';
      /** The connection breaks when this write is done, before the operator hears of it. */
      readonly ofWrite: number;
    }
  | {
      readonly kind: 'conflict';
      /** Another client changes the object just before this request. */
      readonly beforeAttempt: number;
      /** The number of requests in a row that this happens to. @default 1 */
      readonly times?: number;
      /** Leaves the change as it is: an annotation that no handler is called for. @default the other client takes it back */
      readonly stays?: boolean;
    }
  // A request is answered by an error of the API server: one that was to write, or one that was to read, list, or watch objects.
  | ({
      readonly kind: 'error';
      /** The status: 401 after which the operator has to log in again, 429, 500, 503. */
      readonly status: number;
      /** Seconds that the API server asks to wait, by a `Retry-After` header. */
      readonly retryAfter?: number;
      /** The number of requests in a row that this happens to. @default 1 */
      readonly times?: number;
    } & ({ readonly ofAttempt: number } | { readonly ofRead: number }))
  | {
      readonly kind: 'outage';
      /** The change after which the API server refuses the operator's connections, and its watches break. */
      readonly afterChange: number;
      /** @default 30 */
      readonly seconds?: number;
    }
  | {
      readonly kind: 'webhook-down';
      /** The first review that the API server cannot send to the operator, counted from 1 on. */
      readonly fromReview: number;
      /** @default 10 */
      readonly seconds?: number;
    }
  | {
      readonly kind: 'late-collection';
      /**
       * The change after which the garbage collector takes its time, until the workload is over; 0 for the beginning of the run. It gets to
       * each object after a delay of up to 5 seconds, which is drawn from the seed, where it does so at once otherwise.
       */
      readonly afterChange: number;
    }
  | {
      readonly kind: 'clock-jump';
      /** The change after which the wall clock of the operator jumps; 0 for the beginning of the run. */
      readonly afterChange: number;
      /** The distance of the jump: negative into the past. */
      readonly seconds: number;
      /** The replica whose clock jumps, counted from 1 on. @default all of them */
      readonly replica?: number;
    }
  | {
      readonly kind: 'clock-skew';
      /** The seconds by which the wall clock of the operator is ahead of that of the API server; negative: behind. */
      readonly seconds: number;
      /** The change after which the clock is wrong; 0 for the beginning of the run. */
      readonly afterChange: number;
      /** The change after which the clock is corrected, by a jump. @default it stays wrong */
      readonly untilChange?: number;
      /** The replica whose clock is wrong, counted from 1 on. @default all of them */
      readonly replica?: number;
    }
  | {
      readonly kind: 'rejected-patch';
      /** The plural with the group of the objects whose patches are rejected: `configmaps`, `deployments.apps`. */
      readonly resource: string;
      /** Absent for objects of the cluster, and for all objects of the resource. */
      readonly namespace?: string;
      /** The name of the only object whose patches are rejected. @default all objects of the resource */
      readonly name?: string;
      /** The part that the API server does not let the operator change. A patch that changes other parts, too, is rejected as a whole. */
      readonly part: PatchPart;
      /** @default patches of all formats */
      readonly format?: PatchFormat;
      readonly by: PatchRejection;
      /** The first of these patches that is rejected, counted from 1 on. @default 1 */
      readonly fromPatch?: number;
      /** The number of these patches in a row that are rejected. @default 1 */
      readonly times?: number;
      /** Seconds for which all of them are rejected, from the first one on, instead of a number of them. */
      readonly seconds?: number;
      /** Rejects all of them to the end of the run, also after the workload. @default false */
      readonly forever?: boolean;
    }
  | {
      readonly kind: 'unauthorized';
      /** The change after which requests are answered by 401, though the credentials are valid; 0 for the beginning of the run. */
      readonly afterChange: number;
      /** The plural with the group of the objects that the requests are for. @default all requests, also those for discovery */
      readonly resource?: string;
      /** The number of requests in a row that are answered so, instead of all of some seconds. */
      readonly times?: number;
      /** @default 3 */
      readonly seconds?: number;
    }
  | {
      readonly kind: 'stale';
      /** The plural with the group, of which the operator sees nothing new: `pods`, `deployments.apps`. */
      readonly resource: string;
      /** The first change that the operator does not see. */
      readonly fromChange: number;
      /** The change after which the operator catches up. @default when nothing happens any more */
      readonly untilChange?: number;
    }
  | {
      readonly kind: 'missed-events';
      readonly resource: string;
      /** The first change whose event never comes. */
      readonly fromChange: number;
      /** The change after which the operator lists the objects anew. */
      readonly untilChange: number;
    }
  | {
      readonly kind: 'recreate';
      /** The plural with the group: `configmaps`, `deployments.apps`. */
      readonly resource: string;
      /** Absent for objects of the cluster. */
      readonly namespace?: string;
      /** The name; `disk-*` for one that was made of `disk-`, by `generateName`. */
      readonly name: string;
      /** The change after which the user deletes an object that he has applied. As soon as it is gone, he applies it again. */
      readonly afterChange: number;
    }
  | {
      readonly kind: 'drift';
      /** The plural with the group: `configmaps`, `deployments.apps`. */
      readonly resource: string;
      /** Absent for objects of the cluster. */
      readonly namespace?: string;
      /** The name; `disk-*` for one that was made of `disk-`, by `generateName`. */
      readonly name: string;
      /** The change after which somebody else changes an object that the operator has created, or deletes it. */
      readonly afterChange: number;
      /** The change, as a merge patch. @default the object is deleted */
      readonly patch?: object;
    };

/** The object that something happens to. Nothing happens before it is there. */
export type FaultObject = Pick<Extract<SimulationFault, { kind: 'recreate' }>, 'resource' | 'namespace' | 'name'>;

/** Something that somebody else does to an object: nothing is broken, but the operator has to cope with it. */
export type Intervention = Extract<SimulationFault, { readonly kind: 'recreate' | 'drift' }>;

/** Rejects a part of the operator's patches. */
export type RejectedPatchFault = Extract<SimulationFault, { readonly kind: 'rejected-patch' }>;

/** The request of the operator at which its process is hit. */
export type FaultPosition = { readonly afterWrite: number } | { readonly beforeAttempt: number };

/** All that is decided about a run. The same plan leads to the same run. */
export interface SimulationPlan {
  /** Decides on identities, on times of day, and on whatever is drawn. */
  readonly seed: number;
  readonly faults: readonly SimulationFault[];
  /** Draws delays of requests, answers, and events from the seed. @default false */
  readonly delays?: boolean;
  /** The operations of the workload that are left out, counted from 1 on; of a workload of commands, the commands. */
  readonly without?: readonly number[];
  /** The operations of the workload with which it was found, in words. The plan is not run with another workload. @default not checked */
  readonly workload?: readonly string[];
  /**
   * The check that has found something with it, and what, for a plan that is kept. Each of its faults must come to pass then: otherwise it is
   * out of date, and shows nothing any more. @default not checked
   */
  readonly found?: string;
  /** The states that the user brings one object into, one after another, instead of the workload. */
  readonly states?: readonly TestManifestObject[];
}

/** Says in words what goes wrong. */
export function describeFault(fault: SimulationFault): string {
  switch (fault.kind) {
    case 'crash':
      return `the operator crashes ${positionOf(fault)}`;
    case 'freeze':
      return `the operator stands still ${positionOf(fault)}, for ${fault.seconds ?? DEFAULT_SECONDS.freeze} s`;
    case 'lost-answer':
      return `the answer to the operator's write ${fault.ofWrite} is lost`;
    case 'conflict':
      return `another client writes before the operator's request ${fault.beforeAttempt}${timesOf(fault.times)}`;
    case 'error': {
      const after = fault.retryAfter === undefined ? '' : ` with Retry-After: ${fault.retryAfter}`;
      const which = 'ofRead' in fault ? `reading request ${fault.ofRead}` : `request ${fault.ofAttempt}`;
      return `the operator's ${which} is answered by ${fault.status}${after}${timesOf(fault.times)}`;
    }
    case 'outage':
      return `the API server refuses connections after change ${fault.afterChange}, for ${fault.seconds ?? DEFAULT_SECONDS.outage} s`;
    case 'webhook-down':
      return `the operator's webhooks cannot be reached from review ${fault.fromReview} on, for ${fault.seconds ?? DEFAULT_SECONDS['webhook-down']} s`;
    case 'late-collection':
      return `the garbage collector takes its time after change ${fault.afterChange}`;
    case 'clock-jump': {
      const whose = fault.replica === undefined ? "the operator's clock" : `the clock of replica ${fault.replica}`;
      return `${whose} jumps by ${fault.seconds} s after change ${fault.afterChange}`;
    }
    case 'clock-skew': {
      const whose = fault.replica === undefined ? "the operator's clock" : `the clock of replica ${fault.replica}`;
      const side = fault.seconds < 0 ? 'behind' : 'ahead';
      const begin = fault.afterChange === 0 ? 'from the beginning on' : `after change ${fault.afterChange}`;
      const end = fault.untilChange === undefined ? '' : `, until change ${fault.untilChange}`;
      return `${whose} is ${Math.abs(fault.seconds)} s ${side} ${begin}${end}`;
    }
    case 'rejected-patch':
      return `the API server rejects ${describePatches(fault)} by ${REJECTIONS[fault.by] ?? fault.by}${durationOf(fault)}`;
    case 'unauthorized': {
      const which = fault.resource === undefined ? 'all requests' : `the requests for ${fault.resource}`;
      const duration =
        fault.times === undefined
          ? `, for ${fault.seconds ?? DEFAULT_SECONDS.unauthorized} s`
          : timesOf(fault.times, true);
      return `${which} are answered by 401 after change ${fault.afterChange}, though the credentials are valid${duration}`;
    }
    case 'stale': {
      const end = fault.untilChange ? `change ${fault.untilChange} is made` : 'nothing happens any more';
      return `the operator sees no ${fault.resource} from change ${fault.fromChange} on, until ${end}`;
    }
    case 'missed-events':
      return `the operator never sees the changes ${fault.fromChange} to ${fault.untilChange} of ${fault.resource}`;
    case 'recreate':
      return `the user deletes ${nameOf(fault)} after change ${fault.afterChange}, and makes it anew`;
    case 'drift': {
      const what = fault.patch ? `changes ${nameOf(fault)}` : `deletes ${nameOf(fault)}`;
      return `somebody else ${what} after change ${fault.afterChange}${fault.patch ? `: ${stringifyJson(fault.patch)}` : ''}`;
    }
  }
}

/** Says that a fault of a plan was not met, as when changes have other numbers by now: nothing is known then of how it would end. */
export function describeMiss(fault: SimulationFault): string {
  return `the plan is out of date, as a fault of it has not come to pass: ${describeFault(fault)}`;
}

/** Seconds that faults last, unless the plan says otherwise. */
export const DEFAULT_SECONDS = { freeze: 60, outage: 30, 'webhook-down': 10, unauthorized: 3 } as const;

/** Says in words what goes wrong in a run. */
export function describePlan({ seed, faults, delays, without, states = [] }: SimulationPlan): string {
  const parts = faults.map(describeFault);
  parts.push(...states.map((state, index) => describeChange(states[index - 1], state)));
  if (delays) parts.push('requests and events are delayed');
  if (without?.length) parts.push(`operations left out: ${without.join(', ')}`);
  return `seed ${seed}: ${parts.length ? parts.join('; ') : 'no faults'}`;
}

function positionOf(fault: FaultPosition): string {
  return 'afterWrite' in fault ? `after its write ${fault.afterWrite}` : `before its request ${fault.beforeAttempt}`;
}

function nameOf({ resource, namespace, name }: FaultObject): string {
  return `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function timesOf(times = 1, isAlways = false): string {
  if (times === 1) return isAlways ? ', once' : '';
  return `, ${times} times in a row`;
}

/** The rejections in words that are not named by their status. */
const REJECTIONS: Readonly<Record<string, string>> = {
  schema: '422, as a field is invalid',
  etcd: '500, as the object is too large for etcd',
  policy: 'a policy',
  webhook: 'a webhook',
};

const PARTS: Readonly<Record<PatchPart, string>> = {
  status: 'the status',
  object: 'the object',
  annotations: 'the annotations of the framework',
  finalizers: 'the finalizers',
};

const FORMATS: Readonly<Record<PatchFormat, string>> = {
  merge: 'merge patches',
  json: 'JSON patches',
  apply: 'server-side apply',
};

function describePatches({ resource, namespace, name, part, format, fromPatch = 1 }: RejectedPatchFault): string {
  const object = name === undefined ? resource : nameOf({ resource, namespace, name });
  const first = fromPatch > 1 ? ` from patch ${fromPatch} on` : '';
  return `${format ? FORMATS[format] : 'patches'} of ${PARTS[part]} of ${object}${first}`;
}

function durationOf({ times, seconds, forever }: RejectedPatchFault): string {
  if (forever) return ', for ever';
  return seconds === undefined ? timesOf(times, true) : `, for ${seconds} s`;
}
