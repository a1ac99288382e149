/**
 * One thing that goes wrong in a run. Changes, writes, and attempts are counted from 1 on, over the whole run: changes of objects by
 * anybody, writes and effects of the operator that changed something, and all its requests that were to write.
 */
export type SimulationFault =
  | {
      readonly kind: 'crash';
      /** The operator's process ends when this write or effect is done, before it hears of it. */
      readonly afterWrite: number;
      /** Seconds until the next process starts. @default 1 */
      readonly downtime?: number;
    }
  | {
      readonly kind: 'lost-answer';
      /** The connection breaks when this write is done, before the operator hears of it. */
      readonly ofWrite: number;
    }
  | {
      readonly kind: 'conflict';
      /** Another client changes the object, and takes it back, just before this request. */
      readonly beforeAttempt: number;
      /** The number of requests in a row that this happens to. @default 1 */
      readonly times?: number;
    }
  | {
      readonly kind: 'error';
      /** This request is answered by an error of the API server. */
      readonly ofAttempt: number;
      /** The status: 429, 500. */
      readonly status: number;
      readonly times?: number;
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
      readonly kind: 'skip';
      readonly resource: string;
      /** The first change whose event never comes. */
      readonly fromChange: number;
      /** The change after which the operator lists the objects anew. */
      readonly untilChange: number;
    };

/** All that is decided about a run. The same plan leads to the same run. */
export interface SimulationPlan {
  /** Decides on identities, on times of day, and on whatever is drawn. */
  readonly seed: number;
  readonly faults: readonly SimulationFault[];
  /** Draws delays of requests, answers, and events from the seed. @default false */
  readonly delays?: boolean;
  /** The operations of the workload that are left out, counted from 1 on. */
  readonly without?: readonly number[];
  /** The operations of the workload with which it was found, in words. The plan is not run with another workload. @default not checked */
  readonly workload?: readonly string[];
}

/** Says in words what goes wrong. */
export function describeFault(fault: SimulationFault): string {
  switch (fault.kind) {
    case 'crash':
      return `the operator crashes after its write ${fault.afterWrite}`;
    case 'lost-answer':
      return `the answer to the operator's write ${fault.ofWrite} is lost`;
    case 'conflict':
      return `another client writes before the operator's request ${fault.beforeAttempt}${timesOf(fault.times)}`;
    case 'error':
      return `the operator's request ${fault.ofAttempt} is answered by ${fault.status}${timesOf(fault.times)}`;
    case 'stale': {
      const end = fault.untilChange ? `change ${fault.untilChange} is made` : 'nothing happens any more';
      return `the operator sees no ${fault.resource} from change ${fault.fromChange} on, until ${end}`;
    }
    case 'skip':
      return `the operator never sees the changes ${fault.fromChange} to ${fault.untilChange} of ${fault.resource}`;
  }
}

/** Says in words what goes wrong in a run. */
export function describePlan({ seed, faults, delays, without }: SimulationPlan): string {
  const parts = faults.map(describeFault);
  if (delays) parts.push('requests and events are delayed');
  if (without?.length) parts.push(`operations left out: ${without.join(', ')}`);
  return `seed ${seed}: ${parts.length ? parts.join('; ') : 'no faults'}`;
}

function timesOf(times = 1): string {
  return times > 1 ? `, ${times} times in a row` : '';
}
