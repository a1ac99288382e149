import type { RequestFence } from '../common/request.fence.js';
import type { ObjectBackground } from '../background/object.background.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { Throttler } from '../execution/throttler.js';
import { type KubeObject, isOlderVersion } from '../objects/kube-object.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import type { ResourcePatch } from '../objects/patches.js';
import type { ProgressRecord } from '../state/storages.js';
import { EssenceMemory } from './essence.memory.js';
import { ProgressMemory } from './progress.memory.js';

/** Remembers one object while it exists and the operator runs. It is small, as there is one for every object. */
export class ObjectMemory {
  /** Is true once all handlers have finished, or there were none: the object is not resumed any more. */
  fullyHandledOnce = false;
  /** Holds what the last patch could not store; it is sent with the next one. */
  unsent?: UnsentPatch;
  /** The leadership with which it was to be sent, if it can be lost: after it, nothing of it is sent. */
  unsentFence?: RequestFence;
  /** Is true once the API server is known not to have the object any more, though the watch has not reported it yet. */
  isGone = false;
  /** Counts the patches in a row that have met with a conflict. */
  conflicts = 0;
  /** The newest version that is known from the operator's own patches and reads, until the watch has come as far. */
  knownVersion?: string;
  /** Limits how long the watch is waited for to show the known version, in milliseconds of the monotonic clock; absent if nothing waits. */
  consistencyDeadline?: number;
  throttler?: Throttler;
  /** The daemons and timers, if there are any or have been. */
  background?: ObjectBackground;
  /** The indexing that has failed, as long as it does. */
  indexing?: ProgressState;
  /** Is true once the deletion was handled, so that it is not handled again when the object is gone. */
  deletionHandled = false;
  private ownMemo?: unknown;
  private ownEssence?: EssenceMemory;
  private ownProgress?: ProgressMemory;

  constructor(
    /** Is true if the object was first seen in a list, not in a watch: it existed before. */
    readonly noticedByListing: boolean,
    private readonly createMemo: () => unknown,
  ) {}

  /** The user's own data of the object, made on the first use. */
  get memo(): any {
    return (this.ownMemo ??= this.createMemo());
  }

  /** Remembers the last handled essence; comes into being only for objects with handlers of changes. */
  get essence(): EssenceMemory {
    return (this.ownEssence ??= new EssenceMemory());
  }

  /** Remembers the progress of handlers; comes into being only for objects with handlers of changes. */
  get progress(): ProgressMemory {
    return (this.ownProgress ??= new ProgressMemory());
  }

  /** The records of handlers as they are known to be on the object; absent if there are none. */
  get knownProgress(): ReadonlyMap<string, ProgressRecord> | undefined {
    return this.ownProgress?.known;
  }

  /** Tells whether the object should have records of progress. */
  get hasProgress(): boolean {
    return this.ownProgress?.isEmpty === false;
  }

  /** Begins another patch: the last one does not count any more, unless it is still to be sent, with this one. */
  beginPatch(): void {
    if (!this.unsent) this.forgetSent();
  }

  /** Takes note that nothing of the patch that was being made counts: neither the essence nor progress is stored by it. */
  forgetSent(): void {
    this.ownEssence?.forgetSent();
    this.ownProgress?.forgetSent();
  }

  /**
   * Takes note that the cluster has taken the patch: the essence and the progress in it are stored.
   *
   * @param recalls whether the essence is kept, to be recalled if somebody removes it from the object.
   */
  confirmSent(recalls: boolean): void {
    this.ownEssence?.confirmSent(recalls);
    this.ownProgress?.confirmSent();
  }

  /** Keeps a patch to be sent with a newer state. */
  keep(patch: ResourcePatch): void {
    if (!patch.isEmpty) this.unsent = { ...patch.snapshot(), unconfirmed: patch.unconfirmed };
  }

  /** Checks whether the object was in a newer state already: changing handlers would be called for history. */
  isOutdated({ metadata }: KubeObject): boolean {
    return this.knownVersion !== undefined && isOlderVersion(metadata.resourceVersion, this.knownVersion);
  }

  /**
   * Takes note of a state that the operator has brought about or read itself, so that older ones are known as such.
   *
   * @param deadline until when the watch is waited for to show it, in milliseconds of the monotonic clock; absent if nothing waits for it.
   */
  expect({ metadata }: KubeObject, deadline: number | undefined): void {
    this.knownVersion = metadata.resourceVersion;
    this.consistencyDeadline = deadline;
  }

  /** Forgets what was true of the progress: another operator may have been at work. */
  forgetProgress(): void {
    this.ownProgress?.forget();
  }

  /** Takes note that the watch has come as far. */
  catchUp(): void {
    this.knownVersion = undefined;
    this.consistencyDeadline = undefined;
  }
}
