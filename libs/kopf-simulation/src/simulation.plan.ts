import { stringifyJson } from 'kube-common';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import { describeChange } from './plans/object.states.js';

/**
 * A part of the framework's patches, which have the results of handlers and the framework's own state: the `status`, also where it is no subresource;
 * the `annotations` in which the framework keeps its state; the `finalizers`; or everything of the `object` but a status that is a subresource.
 */
export type PatchPart = 'status' | 'object' | 'annotations' | 'finalizers';

/** The format of a patch: a merge patch, a JSON patch, or server-side apply. */
export type PatchFormat = 'merge' | 'json' | 'apply';

/**
 * The error response to a patch: a status code; `schema` is a 422 with the field that is invalid, `etcd` a 500 as the object is too large for etcd,
 * `policy` a 422 of a ValidatingAdmissionPolicy, `webhook` a 403 of a validating webhook.
 */
export type PatchRejection = 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503 | 'schema' | 'etcd' | 'policy' | 'webhook';

/** The options of every fault. */
interface FaultOptions {
  /**
   * The properties of the user that the fault makes impossible, by their names, or all that must hold at the end. They need not hold once it has
   * happened; a rejected patch excuses them only if the part is never stored. The report counts the runs in which a fault excuses a property.
   *
   * @default none, except for generated patch rejections that last until the end of the run: all that must hold at the end
   */
  readonly excuses?: readonly string[] | 'eventually';
}

/**
 * A fault that is injected into a run.
 *
 * Positions count from 1 on, over the whole run. Changes are those of objects by any client; writes are requests and effects of the operator that
 * have changed something; attempts are all its writing requests; reads are its reading requests.
 */
export type SimulationFault = FaultOptions & AnyFault;

type AnyFault =
  // The process ends as by SIGKILL: when a write or an effect is done, before the process gets the answer, or before a request is sent.
  | ({
      readonly kind: 'crash';
      /** Seconds until the next process starts. @default 1 */
      readonly downtime?: number;
    } & ({ readonly afterWrite: number } | { readonly beforeAttempt: number }))
  // A replica is frozen, as a stopped process or a suspended machine is. It sends and receives nothing, and its timers do not fire until it
  // continues; then all of that comes late.
  | ({
      readonly kind: 'freeze';
      /** @default 60, which is longer than other replicas wait for the holder of a Lease */
      readonly seconds?: number;
    } & ({ readonly afterWrite: number } | { readonly beforeAttempt: number }))
  | {
      readonly kind: 'lost-answer';
      /** The write after which the connection breaks, before the operator gets the answer. */
      readonly ofWrite: number;
    }
  | {
      readonly kind: 'conflict';
      /** The request just before which another client changes the object. */
      readonly beforeAttempt: number;
      /** The number of requests in a row that are hit. @default 1 */
      readonly times?: number;
      /** Whether the other client's change stays: an annotation that no handler is called for. @default the other client takes it back */
      readonly stays?: boolean;
    }
  // A request is answered by an error of the API server: one that writes, or one that reads, lists, or watches objects.
  | ({
      readonly kind: 'error';
      /** The status: 401, after which the operator has to log in again, 429, 500, 503. */
      readonly status: number;
      /** The seconds of the `Retry-After` header. */
      readonly retryAfter?: number;
      /** The number of requests in a row that are hit. @default 1 */
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
       * The change after which the garbage collector is slow, until the workload is over; 0 for the beginning of the run. It handles each object
       * after a delay of up to 5 seconds, which is drawn from the seed. Without the fault, it does so at once.
       */
      readonly afterChange: number;
    }
  | {
      readonly kind: 'clock-jump';
      /** The change after which the wall clock of the operator jumps; 0 for the beginning of the run. */
      readonly afterChange: number;
      /** The seconds by which the clock jumps; negative: into the past. */
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
      /** Whether all of these patches are rejected to the end of the run, also after the workload. @default false */
      readonly forever?: boolean;
    }
  | {
      readonly kind: 'unauthorized';
      /** The change after which requests are answered by 401, though the credentials are valid; 0 for the beginning of the run. */
      readonly afterChange: number;
      /** The plural with the group of the objects that the requests are for. @default all requests, also those for discovery */
      readonly resource?: string;
      /** The number of requests in a row that are answered by 401, instead of a time. */
      readonly times?: number;
      /** @default 3 */
      readonly seconds?: number;
    }
  | {
      readonly kind: 'stale';
      /** The plural with the group of the resource whose changes are hidden: `pods`, `deployments.apps`. */
      readonly resource: string;
      /** The first change that is hidden from the operator. */
      readonly fromChange: number;
      /** The change after which the operator catches up. @default when nothing happens any more */
      readonly untilChange?: number;
    }
  | {
      readonly kind: 'missed-events';
      readonly resource: string;
      /** The first change whose event never comes. */
      readonly fromChange: number;
      /** The change after which the operator lists the objects again. */
      readonly untilChange: number;
    }
  | {
      readonly kind: 'recreate';
      /** The plural with the group: `configmaps`, `deployments.apps`. */
      readonly resource: string;
      /** Absent for objects of the cluster. */
      readonly namespace?: string;
      /** The name; `disk-*` for a name that `generateName` has made of `disk-`. */
      readonly name: string;
      /** The change after which the user deletes an object that it has applied. As soon as the object is gone, the user applies it again. */
      readonly afterChange: number;
    }
  | {
      readonly kind: 'drift';
      /** The plural with the group: `configmaps`, `deployments.apps`. */
      readonly resource: string;
      /** Absent for objects of the cluster. */
      readonly namespace?: string;
      /** The name; `disk-*` for a name that `generateName` has made of `disk-`. */
      readonly name: string;
      /** The change after which another client changes or deletes an object that the operator has created. */
      readonly afterChange: number;
      /** The change, as a merge patch. @default the object is deleted */
      readonly patch?: object;
    };

/** The object of an intervention, which happens only once the object exists. */
export type FaultObject = Pick<Extract<SimulationFault, { kind: 'recreate' }>, 'resource' | 'namespace' | 'name'>;

/** An action of another client on an object. Nothing is broken, but the operator has to cope with it. */
export type Intervention = Extract<SimulationFault, { readonly kind: 'recreate' | 'drift' }>;

/** A fault that rejects a part of the operator's patches. */
export type RejectedPatchFault = Extract<SimulationFault, { readonly kind: 'rejected-patch' }>;

/** The request of the operator at which its process is hit. */
export type FaultPosition = { readonly afterWrite: number } | { readonly beforeAttempt: number };

/** The plan of a run. The same plan leads to the same run. */
export interface SimulationPlan {
  /** Decides on identities, on times of day, and on everything that is drawn. */
  readonly seed: number;
  readonly faults: readonly SimulationFault[];
  /** Whether requests, answers, and events are delayed by times that are drawn from the seed. @default false */
  readonly delays?: boolean;
  /** The operations of the workload that are left out, counted from 1 on; of a workload of commands, the commands. */
  readonly without?: readonly number[];
  /** The operations of the workload that the plan was found with, in words. The plan is not run with another workload. @default not checked */
  readonly workload?: readonly string[];
  /**
   * For a kept plan, the check that has found something with it, and the finding. Each of its faults must happen; otherwise the plan is out of date
   * and shows nothing any more.
   *
   * @default not checked
   */
  readonly found?: string;
  /** The states of one object that the user applies one after another, instead of the workload. */
  readonly states?: readonly TestManifestObject[];
}

/** Describes a fault in words. */
export function describeFault(fault: SimulationFault): string {
  switch (fault.kind) {
    case 'crash':
      return `the operator crashes ${positionOf(fault)}`;
    case 'freeze':
      return `the operator is frozen ${positionOf(fault)}, for ${fault.seconds ?? DEFAULT_SECONDS.freeze} s`;
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
      return `the garbage collector is slow after change ${fault.afterChange}`;
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
      return `the user deletes ${nameOf(fault)} after change ${fault.afterChange}, and recreates it`;
    case 'drift': {
      const what = fault.patch ? `changes ${nameOf(fault)}` : `deletes ${nameOf(fault)}`;
      return `another client ${what} after change ${fault.afterChange}${fault.patch ? `: ${stringifyJson(fault.patch)}` : ''}`;
    }
  }
}

/** Describes a fault of a plan that has not happened, as when positions have changed: the plan shows nothing any more. */
export function describeMiss(fault: SimulationFault): string {
  return `the plan is out of date, as a fault of it has not happened: ${describeFault(fault)}`;
}

/** The default duration of faults, in seconds. */
export const DEFAULT_SECONDS = { freeze: 60, outage: 30, 'webhook-down': 10, unauthorized: 3 } as const;

/** Describes a plan in words. */
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

/** Descriptions of the rejections that are not status codes. */
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
  if (forever) return ', until the end of the run';
  return seconds === undefined ? timesOf(times, true) : `, for ${seconds} s`;
}
