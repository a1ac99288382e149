import type { InspectedBackgroundRun } from './inspected-object.details.js';
import type { ObjectIdentity } from './inspected.object.js';

/** One index, with the number of its keys and values. */
export interface InspectedIndex {
  readonly id: string;
  readonly keys: number;
  readonly values: number;
}

/** A daemon or a timer, and its object. Its `kind` is that of the handler. */
export interface InspectedDaemon extends Omit<ObjectIdentity, 'kind'>, InspectedBackgroundRun {}

/** The contents of the operator's memory: `GET api/memory`. */
export interface InspectedMemory {
  /** The number of objects with a memory. */
  readonly objects: number;
  readonly indices: readonly InspectedIndex[];
  /** At most 500 of the daemons and timers. */
  readonly daemons: readonly InspectedDaemon[];
  /** The numbers of all of them. */
  readonly totals: { readonly daemons: number; readonly timers: number };
  /** The heap of the process, in bytes. */
  readonly heap: { readonly used: number; readonly limit: number };
}
