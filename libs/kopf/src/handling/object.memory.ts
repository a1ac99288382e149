import type { RequestFence } from '../client/http/kube.transport.js';
import type { ObjectBackground } from '../background/object.background.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { Throttler } from '../execution/throttler.js';
import { type KubeObject, isOlderVersion } from '../objects/kube-object.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import type { ResourcePatch } from '../objects/patches.js';
import { EssenceMemory } from './essence.memory.js';
import { ProgressMemory } from './progress.memory.js';

/** What is remembered of one object while it exists and the operator runs. Small, as there is one for every object. */
export class ObjectMemory {
  /** Whether all handlers have finished at least once, or there were none: the object is not resumed any more. */
  fullyHandledOnce = false;
  /** What the last patch could not store, to be sent before any handler of changes is called. */
  unsent?: UnsentPatch;
  /** The leadership with which it was to be sent, if it can be lost: after it, nothing of it is sent. */
  unsentFence?: RequestFence;
  /** Whether the API server does not have the object any more, though the watch has not told so yet. */
  isGone = false;
  /** How many patches in a row have met with a conflict. */
  conflicts = 0;
  /** The newest version that is known from the operator's own patches and reads, until the watch has come as far. */
  knownVersion?: string;
  /** Until when the watch is waited for to come as far, in milliseconds of the monotonic clock. */
  consistencyDeadline?: number;
  throttler?: Throttler;
  /** The daemons and timers, if there are any or have been. */
  background?: ObjectBackground;
  /** The indexing that has failed, as long as it does. */
  indexing?: ProgressState;
  /** Whether the deletion was handled, so that it is not again when the object has gone. */
  deletionHandled = false;
  private ownMemo?: unknown;
  private ownEssence?: EssenceMemory;
  private ownProgress?: ProgressMemory;

  constructor(
    /** Whether the object was first seen in a listing, not in a watch: it was there before. */
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

  /** Tells whether the object should have records of progress. */
  get hasProgress(): boolean {
    return this.ownProgress?.isEmpty === false;
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

  /** Whether the object was in a newer state already: handlers of changes would be called for what is history. */
  isOutdated({ metadata }: KubeObject): boolean {
    return this.knownVersion !== undefined && isOlderVersion(metadata.resourceVersion, this.knownVersion);
  }

  /**
   * Takes note of a state that the operator has brought about or read itself, so that older ones are known as such.
   *
   * @param deadline until when the watch is waited for to show it, in milliseconds of the monotonic clock.
   */
  expect({ metadata }: KubeObject, deadline: number): void {
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
