import type { RequestFence } from '../common/request.fence.js';
import type { ObjectBackground } from '../background/object.background.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { Throttler } from '../execution/throttler.js';
import { type KubeObject, isOlderVersion } from '../objects/kube-object.js';
import type { JsonMap } from 'kube-common';
import type { UnsentPatch } from '../objects/patch-content.js';
import type { ResourcePatch } from '../objects/patches.js';
import type { ProgressRecord } from '../state/storages.js';
import type { Essence } from '../objects/essences.js';
import { EssenceMemory } from './essence.memory.js';
import { ProgressMemory, type FailedHandling, type RecordChanges } from './progress.memory.js';
import type { BookkeepingRejection, BookkeepingPart } from './bookkeeping.rejection.js';
import type { HandlerChanges } from './handler.changes.js';

/** The changes by handlers that could not be sent. */
export interface UnsentChanges extends UnsentPatch {
  /** The changes by handler. */
  readonly handlerChanges?: HandlerChanges;
  /** The fields that revert the stored success of these handlers, as far as it is stored already. */
  readonly undo?: Readonly<JsonMap>;
}

/** The memory of one object while it exists and the operator runs. It is small, as each object has one. */
export class ObjectMemory {
  /** Whether all handlers have finished, or there were none, so that the object is not resumed any more. */
  fullyHandledOnce = false;
  /** The changes by handlers that the last patch could not store; they are sent with the next patch. */
  unsent?: UnsentChanges;
  /**
   * The fence of the term in which the changes were to be sent; they are not sent in another one. Absent if the leadership cannot be lost.
   */
  unsentFence?: RequestFence;
  /**
   * Whether the state has to be stored before handlers are called again, as the last patch met a conflict, or the API server could not be
   * reached.
   */
  isStateUnsent = false;
  /** Whether the cluster has accepted the state of this object, but does not keep it. */
  isStateUnkept = false;
  /** The tenure in which the unstored state became known; in another one, other operators may know better. */
  private tenure?: object;
  /** The rejections of the framework's own changes. */
  private ownRejections?: Map<BookkeepingPart, BookkeepingRejection>;
  /** The number of consecutive patches that an available API server has answered with an error. */
  failures = 0;
  /** Whether the API server is known not to have the object any more, although the watch has not reported it yet. */
  isGone = false;
  /** The number of consecutive conflicts of patches. */
  conflicts = 0;
  /** The newest version that is known from the operator's own patches and reads, until the watch has shown it. */
  knownVersion?: string;
  /**
   * The time until which the operator waits for the watch to show the known version, in milliseconds of the monotonic clock; absent if it
   * does not wait.
   */
  consistencyDeadline?: number;
  throttler?: Throttler;
  /** The daemons and timers, once there have been any. */
  background?: ObjectBackground;
  /** The progress of the indexing, while it fails. */
  indexing?: ProgressState;
  /** Whether the deletion was handled, so that it is not handled again when the object is gone. */
  deletionHandled = false;
  private ownMemo?: unknown;
  private ownEssence?: EssenceMemory;
  private ownProgress?: ProgressMemory;

  constructor(
    /** Whether the object was first seen in a list, so that it existed before the watch. */
    readonly noticedByListing: boolean,
    private readonly createMemo: () => unknown,
  ) {}

  /** The user's data about the object, created on the first use. */
  get memo(): any {
    return (this.ownMemo ??= this.createMemo());
  }

  /** The memory of the last handled essence, created only for objects with handlers of changes. */
  get essence(): EssenceMemory {
    return (this.ownEssence ??= new EssenceMemory());
  }

  /** The memory of the progress of handlers, created only for objects with handlers of changes. */
  get progress(): ProgressMemory {
    return (this.ownProgress ??= new ProgressMemory());
  }

  /** The records of handlers that the object is known to have; absent if it has none. */
  get knownProgress(): ReadonlyMap<string, ProgressRecord> | undefined {
    return this.ownProgress?.known;
  }

  /** The last handling of the object in this process, if any of its handlers has failed for good. */
  get failedHandling(): FailedHandling | undefined {
    return this.ownProgress?.failed;
  }

  /** Whether this process knows if handlers of the object have failed for good. */
  get knowsFailures(): boolean {
    return this.ownProgress?.knowsFailures === true || this.failedHandling !== undefined;
  }

  /** Whether the object should have records of progress. */
  get hasProgress(): boolean {
    return this.ownProgress?.isEmpty === false;
  }

  /** The rejections of the framework's own changes; empty if all of them are stored. */
  get rejections(): ReadonlyMap<BookkeepingPart, BookkeepingRejection> {
    return this.ownRejections ?? NO_REFUSALS;
  }

  /** The changes of records that are to be stored. */
  get recordChanges(): RecordChanges | undefined {
    return this.ownProgress?.changes;
  }

  /** Whether the object is to be marked as handled by an operator. */
  get isMarked(): boolean {
    return this.ownProgress?.isMarked === true;
  }

  /** The essence that is to be stored. */
  get unstoredEssence(): Essence | undefined {
    return this.ownEssence?.unstored;
  }

  /** Whether the present cycle has state to store. */
  get isStateChanged(): boolean {
    return this.ownProgress?.isChanged === true || this.ownEssence?.isChanged === true;
  }

  /** Whether state counts although it is not stored. */
  get isStateWithheld(): boolean {
    return this.ownProgress?.isWithheld === true || this.ownEssence?.isWithheld === true;
  }

  /** Begins another cycle: the state of the last one counts only if it could not be sent; it is sent with this cycle. */
  beginChanges(): void {
    if (!this.isStateUnsent) this.forgetChanges();
  }

  /** Drops the state of the present cycle, as its handlers have failed. */
  forgetChanges(): void {
    this.ownEssence?.forgetChanges();
    this.ownProgress?.forgetChanges();
  }

  /**
   * Records that the cluster has stored the state.
   *
   * @param recalls whether the essence is kept, to be recalled if another client removes it from the object.
   */
  confirmState(recalls: boolean): void {
    this.ownEssence?.confirm(recalls);
    this.ownProgress?.confirm();
    this.isStateUnsent = false;
    this.isStateUnkept = false;
  }

  /**
   * Withholds the state: it counts in this process although it is not stored, so that handlers that have succeeded are not called again.
   *
   * @param tenure the tenure in which it is known.
   */
  withholdState(tenure: object | undefined): void {
    this.ownEssence?.withhold();
    this.ownProgress?.withhold();
    this.isStateUnsent = false;
    this.tenure = tenure;
  }

  /**
   * Postpones the state: it is sent again before handlers are called, as the object has changed in the meantime, or the API server could
   * not be reached.
   *
   * @param tenure the tenure in which it is known.
   */
  postponeState(tenure: object | undefined): void {
    this.isStateUnsent = this.isStateChanged;
    this.tenure = tenure;
  }

  /** Drops state that is known from another tenure only. */
  enterTenure(tenure: object | undefined): void {
    if (this.tenure === tenure || (!this.isStateWithheld && !this.isStateUnsent)) return;
    this.ownEssence?.forgetWithheld();
    this.ownProgress?.forgetWithheld();
    this.isStateUnsent = false;
  }

  /** Records that the API server rejects a part of the framework's own changes. */
  noteRejection(part: BookkeepingPart, rejection: BookkeepingRejection): void {
    (this.ownRejections ??= new Map()).set(part, rejection);
  }

  /** Records that the part is stored, or that there is nothing left to store. @returns whether the part was rejected before */
  endRejection(part: BookkeepingPart): boolean {
    const isOver = this.ownRejections?.delete(part) ?? false;
    if (this.ownRejections?.size === 0) this.ownRejections = undefined;
    return isOver;
  }

  /** Keeps a patch, to send it with a newer state. */
  keep(patch: ResourcePatch): void {
    if (patch.isEmpty) return;
    this.unsent = { ...this.unsent, ...patch.snapshot(), unconfirmed: patch.unconfirmed };
  }

  /** Whether a newer state of the object is known, so that changing handlers would be called with an outdated one. */
  isOutdated({ metadata }: KubeObject): boolean {
    return this.knownVersion !== undefined && isOlderVersion(metadata.resourceVersion, this.knownVersion);
  }

  /**
   * Records a state from an own patch or read, so that older states are recognised.
   *
   * @param deadline the time until which the operator waits for the watch to show the state, in milliseconds of the monotonic clock; absent
   *   if it does not wait.
   */
  expect({ metadata }: KubeObject, deadline: number | undefined): void {
    this.knownVersion = metadata.resourceVersion;
    this.consistencyDeadline = deadline;
  }

  /** Records that the state on the object was reverted. */
  forgetStored(): void {
    this.ownEssence?.forgetStored();
  }

  /** Drops the known progress, as another operator may have handled the object. */
  forgetProgress(): void {
    this.ownProgress?.forget();
  }

  /** Records that the watch has shown the known version. */
  catchUp(): void {
    this.knownVersion = undefined;
    this.consistencyDeadline = undefined;
  }
}

const NO_REFUSALS: ReadonlyMap<BookkeepingPart, BookkeepingRejection> = new Map();
