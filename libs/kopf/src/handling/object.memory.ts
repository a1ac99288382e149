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
import { ProgressMemory, type RecordChanges } from './progress.memory.js';
import type { BookkeepingRejection, BookkeepingPart } from './bookkeeping.rejection.js';
import type { HandlerChanges } from './handler.changes.js';

/** What handlers want that could not be sent. */
export interface UnsentChanges extends UnsentPatch {
  /** Tells whose it is. */
  readonly handlerChanges?: HandlerChanges;
  /** Takes back the state by which these handlers have succeeded, as far as it is stored already. */
  readonly undo?: Readonly<JsonMap>;
}

/** Remembers one object while it exists and the operator runs. It is small, as there is one for every object. */
export class ObjectMemory {
  /** Is true once all handlers have finished, or there were none: the object is not resumed any more. */
  fullyHandledOnce = false;
  /** Holds what handlers want and the last patch could not store; it is sent with the next one. */
  unsent?: UnsentChanges;
  /** The leadership with which it was to be sent, if it can be lost: after it, nothing of it is sent. */
  unsentFence?: RequestFence;
  /** Is true if the state is to be stored before handlers are called again: the last patch met with a conflict, or the API server was away. */
  isStateUnsent = false;
  /** Is true if the cluster does not keep the state of this object, though it has accepted it. */
  isStateUnkept = false;
  /** The time of leadership in which the state became known that is not stored; in another one, others may know better. */
  private tenure?: object;
  /** Why parts of the framework's own changes are refused, as long as they are. */
  private ownRejections?: Map<BookkeepingPart, BookkeepingRejection>;
  /** Counts the patches in a row that the API server has answered by an error, though it works. */
  failures = 0;
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

  /** The rejections of the framework's own changes; empty if all of them are stored. */
  get rejections(): ReadonlyMap<BookkeepingPart, BookkeepingRejection> {
    return this.ownRejections ?? NO_REFUSALS;
  }

  /** The changes of records that are to be stored. */
  get recordChanges(): RecordChanges | undefined {
    return this.ownProgress?.changes;
  }

  /** Tells whether the object is to be marked as an operator's. */
  get isMarked(): boolean {
    return this.ownProgress?.isMarked === true;
  }

  /** The essence that is to be stored. */
  get unstoredEssence(): Essence | undefined {
    return this.ownEssence?.unstored;
  }

  /** Tells whether the present cycle has made state to be stored. */
  get isStateChanged(): boolean {
    return this.ownProgress?.isChanged === true || this.ownEssence?.isChanged === true;
  }

  /** Tells whether there is state that counts although it is not stored. */
  get isStateWithheld(): boolean {
    return this.ownProgress?.isWithheld === true || this.ownEssence?.isWithheld === true;
  }

  /** Begins another cycle: what the last one has made counts only if it could not be sent, and is to be sent with this one. */
  beginChanges(): void {
    if (!this.isStateUnsent) this.forgetChanges();
  }

  /** Records that the present cycle has made no state, as its handlers have failed. */
  forgetChanges(): void {
    this.ownEssence?.forgetChanges();
    this.ownProgress?.forgetChanges();
  }

  /**
   * Records that the cluster has stored the state.
   *
   * @param recalls whether the essence is kept, to be recalled if somebody removes it from the object.
   */
  confirmState(recalls: boolean): void {
    this.ownEssence?.confirm(recalls);
    this.ownProgress?.confirm();
    this.isStateUnsent = false;
    this.isStateUnkept = false;
  }

  /**
   * Lets the state count although it is not stored: in this process, what has succeeded is known to have.
   *
   * @param tenure the time of leadership that it is known in.
   */
  withholdState(tenure: object | undefined): void {
    this.ownEssence?.withhold();
    this.ownProgress?.withhold();
    this.isStateUnsent = false;
    this.tenure = tenure;
  }

  /**
   * Has the state sent again before handlers are called, as the object has changed meanwhile, or the API server was away.
   *
   * @param tenure the time of leadership that it is known in.
   */
  postponeState(tenure: object | undefined): void {
    this.isStateUnsent = this.isStateChanged;
    this.tenure = tenure;
  }

  /** Forgets what counted in another time of leadership. */
  enterTenure(tenure: object | undefined): void {
    if (this.tenure === tenure || (!this.isStateWithheld && !this.isStateUnsent)) return;
    this.ownEssence?.forgetWithheld();
    this.ownProgress?.forgetWithheld();
    this.isStateUnsent = false;
  }

  /** Records that the API server refuses a part of the framework's own changes. */
  noteRejection(part: BookkeepingPart, rejection: BookkeepingRejection): void {
    (this.ownRejections ??= new Map()).set(part, rejection);
  }

  /** Records that the part is stored, or that nothing is to be stored any more. @returns whether it was refused before */
  endRejection(part: BookkeepingPart): boolean {
    const isOver = this.ownRejections?.delete(part) ?? false;
    if (this.ownRejections?.size === 0) this.ownRejections = undefined;
    return isOver;
  }

  /** Keeps a patch to be sent with a newer state. */
  keep(patch: ResourcePatch): void {
    if (patch.isEmpty) return;
    this.unsent = { ...this.unsent, ...patch.snapshot(), unconfirmed: patch.unconfirmed };
  }

  /** Checks whether the object was in a newer state already: changing handlers would be called for history. */
  isOutdated({ metadata }: KubeObject): boolean {
    return this.knownVersion !== undefined && isOlderVersion(metadata.resourceVersion, this.knownVersion);
  }

  /**
   * Records a state that the operator has brought about or read itself, so that older ones are known as such.
   *
   * @param deadline until when the watch is waited for to show it, in milliseconds of the monotonic clock; absent if nothing waits for it.
   */
  expect({ metadata }: KubeObject, deadline: number | undefined): void {
    this.knownVersion = metadata.resourceVersion;
    this.consistencyDeadline = deadline;
  }

  /** Records that the state on the object is taken back. */
  forgetStored(): void {
    this.ownEssence?.forgetStored();
  }

  /** Forgets what was true of the progress: another operator may have been at work. */
  forgetProgress(): void {
    this.ownProgress?.forget();
  }

  /** Records that the watch has come as far. */
  catchUp(): void {
    this.knownVersion = undefined;
    this.consistencyDeadline = undefined;
  }
}

const NO_REFUSALS: ReadonlyMap<BookkeepingPart, BookkeepingRejection> = new Map();
