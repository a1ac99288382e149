import type { ObjectBackground } from '../engines/daemons/object.background.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { Throttler } from '../execution/throttler.js';
import type { Essence, ProgressRecord } from '../interfaces/progress.interface.js';
import type { PatchTransformation } from '../interfaces/patch.interface.js';

/** What is remembered of one object while it exists and the operator runs. Small, as there is one for every object. */
export class ObjectMemory {
  /** Whether all handlers have finished at least once, or there were none: the object is not resumed any more. */
  fullyHandledOnce = false;
  /** Transformations that the cluster has refused because of a conflict, to be tried with the next event. */
  remaining?: readonly PatchTransformation[];
  /** The version of the operator's own patch, until its event comes. */
  expectedVersion?: string;
  /** Until when the expected version is waited for, in milliseconds of the monotonic clock. */
  consistencyDeadline?: number;
  throttler?: Throttler;
  /** The daemons and timers, if there are any or have been. */
  background?: ObjectBackground;
  /** The indexing that has failed, as long as it does. */
  indexing?: ProgressState;
  /** The essence in the patch that is being made: it counts as stored when the cluster has taken the patch. */
  sentEssence?: Essence;
  /** Whether the object's essence was stored, so that it should be found from now on. */
  essenceStored = false;
  /** The last handled essence, if it is to be recalled because it cannot be relied on to be with the object. */
  essence?: Essence;
  /** Whether the essence could not be stored, so that what the object has is out of date. */
  essenceUnstorable = false;
  /** Whether it was reported that the stored essence has gone. */
  lossReported = false;
  /** The progress in the patch that is being made, by handlers: it counts as stored when the cluster has taken the patch. */
  sentProgress?: Map<string, ProgressRecord>;
  /** The progress that the object should have, by handlers. */
  progress?: Map<string, ProgressRecord>;
  /** Whether it was reported that stored progress has gone. */
  progressLossReported = false;
  /** Whether the deletion was handled, so that it is not again when the object has gone. */
  deletionHandled = false;
  private ownMemo?: unknown;

  constructor(
    /** Whether the object was first seen in a listing, not in a watch: it was there before. */
    readonly noticedByListing: boolean,
    private readonly makeMemo: () => unknown,
  ) {}

  /** The user's own data of the object, made on the first use. */
  get memo(): any {
    return (this.ownMemo ??= this.makeMemo());
  }
}
