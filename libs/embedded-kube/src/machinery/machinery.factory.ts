import type { Clock, Random } from 'kube-common';
import { LaggingMembers } from './lagging.member.js';
import type { MachineryContext } from './machinery.context.js';
import { ObjectMachinery } from './object.machinery.js';
import { WatchService } from './watch.service.js';

/** The dependencies of the operations on objects. */
export interface MachineryParts extends MachineryContext {
  readonly clock: Clock;
  readonly random: Random;
  /** The number of changes that a lagging member remembers. */
  readonly historySize: number;
  /** Milliseconds between bookmarks. */
  readonly bookmarkInterval: number;
}

/** The operations on objects: those of the server itself, and those of members that lag behind it. */
export interface Machinery {
  readonly machinery: ObjectMachinery;
  readonly watches: WatchService;
  readonly members: LaggingMembers;
}

/** Creates the operations on objects. */
export function createMachinery(parts: MachineryParts): Machinery {
  const { store, clock, random, historySize, bookmarkInterval } = parts;
  return {
    machinery: new ObjectMachinery(parts),
    watches: new WatchService(store, clock, random, bookmarkInterval),
    members: new LaggingMembers({ store, clock, random, historySize, bookmarkInterval }),
  };
}
