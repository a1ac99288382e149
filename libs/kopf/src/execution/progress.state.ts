import type { KubeObject } from '../objects/kube-object.js';
import type { HandlingPurpose, ProgressRecord, ProgressStorage } from '../state/storages.js';
import type { ResourcePatch } from '../objects/patches.js';
import { HandlerProgress } from './handler.progress.js';
import type { Outcomes } from './outcome.js';

interface Identified {
  readonly id: string;
}

/** The storage of one object's progress. It may know by how much the clock that a record was begun with is ahead, or behind. */
type RestorableStorage = Pick<ProgressStorage, 'fetch'> & {
  leadOf?(id: string, record: ProgressRecord, now: number): number;
};

/** The numbers of handlers that have succeeded, have failed permanently, and are unfinished. */
export interface ProgressCounts {
  success: number;
  failure: number;
  running: number;
}

const NO_COUNTS: ReadonlyMap<string, ProgressCounts> = new Map();

/**
 * The progress of all handlers of one object in one cycle: restored at the beginning, advanced by outcomes, and stored at the end.
 *
 * Activated handlers take part in the cycle. Handlers that were restored with another purpose are only kept: they are reported as
 * superseded, and their records are removed in the end.
 */
export class ProgressState {
  private readonly handlers = new Map<string, HandlerProgress>();

  constructor(
    /** Returns milliseconds since the epoch: the clock's time if the progress is stored, and `steadyTime()` if it is only in memory. */
    readonly now: () => number,
    private readonly purpose?: HandlingPurpose,
  ) {}

  /** Restores the stored progress of the given handlers. */
  restore(handlers: readonly Identified[], body: KubeObject, storage: RestorableStorage): this {
    for (const { id } of handlers) {
      const record = this.handlers.has(id) ? undefined : storage.fetch(id, body);
      if (!record) continue;
      const now = this.now();
      this.handlers.set(id, HandlerProgress.restored(record, now, storage.leadOf?.(id, record, now)));
    }
    return this;
  }

  /** Activates the given handlers for this cycle. */
  activate(handlers: readonly Identified[]): this {
    for (const { id } of handlers) {
      const progress = this.handlers.get(id) ?? HandlerProgress.fresh(this.now(), this.purpose);
      progress.active = true;
      this.handlers.set(id, progress);
    }
    return this;
  }

  /** Gives the handlers the purpose of this cycle. Their attempts so far still count. */
  setPurpose(handlers: readonly Identified[]): void {
    for (const { id } of handlers) this.of(id).purpose = this.purpose;
  }

  /** Removes the restored progress of the given handlers, so that they begin without it. */
  restart(ids: Iterable<string>): void {
    for (const id of ids) {
      const progress = HandlerProgress.fresh(this.now(), this.purpose);
      progress.active = true;
      this.handlers.set(id, progress);
    }
  }

  /** Returns the progress of a handler that takes part in the cycle. */
  of(id: string): HandlerProgress {
    const progress = this.handlers.get(id);
    if (!progress) throw new Error(`There is no progress of the handler '${id}'.`);
    return progress;
  }

  ids(): Iterable<string> {
    return this.handlers.keys();
  }

  advance(outcomes: Outcomes): void {
    for (const [id, outcome] of outcomes) this.of(id).advance(outcome, this.now());
  }

  /** Reopens the finished ones of the given handlers. Unfinished ones continue. */
  reopen(ids: Iterable<string>): void {
    for (const id of ids) if (this.of(id).finished) this.of(id).reopen(this.now());
  }

  /** Removes the handlers that have succeeded. Returns whether any are left. */
  dropSuccesses(): boolean {
    for (const [id, { success }] of this.handlers) if (success) this.handlers.delete(id);
    return this.handlers.size > 0;
  }

  store(body: KubeObject, patch: ResourcePatch, storage: Pick<ProgressStorage, 'store'>): void {
    for (const [id, progress] of this.handlers) {
      if (progress.changed) storage.store(id, progress.toRecord(), body, patch);
    }
  }

  /**
   * Removes the records of the given handlers, of all other restored ones, and of their sub-handlers. Records of handlers that take part in
   * the cycle are stored again by the next `store()`.
   */
  purge(handlers: readonly Identified[], body: KubeObject, patch: ResourcePatch, storage: ProgressStorage): void {
    const ids = new Set(handlers.map(({ id }) => id));
    for (const [id, progress] of this.handlers) {
      ids.add(id);
      for (const subref of progress.subrefs) ids.add(subref);
      if (progress.active) progress.forgetStored();
    }
    for (const id of ids) storage.purge(id, body, patch);
  }

  /** Whether all handlers of the event cycle have finished. */
  get done(): boolean {
    for (const progress of this.handlers.values()) if (progress.active && !progress.finished) return false;
    return true;
  }

  /** Seconds until each of the unfinished handlers of the cycle is due. */
  get delays(): number[] {
    return this.collectDelays(this.handlers.values());
  }

  /** Computes the seconds until each of the given unfinished handlers is due. */
  delaysOf(handlers: readonly Identified[]): number[] {
    return this.collectDelays(handlers.map(({ id }) => this.of(id)));
  }

  /** The counts of the handlers with the purpose of this cycle. */
  get counts(): ProgressCounts {
    return this.count((progress) => this.isOwn(progress));
  }

  /** The counts of the handlers that were restored with other purposes, by purpose. */
  get superseded(): ReadonlyMap<string, ProgressCounts> {
    let counts: Map<string, ProgressCounts> | undefined;
    for (const { purpose } of this.handlers.values()) {
      if (purpose === undefined || purpose === this.purpose || counts?.has(purpose)) continue;
      const count = this.count((progress) => progress.purpose === purpose);
      (counts ??= new Map<string, ProgressCounts>()).set(purpose, count);
    }
    return counts ?? NO_COUNTS;
  }

  /** The records of the handlers with the purpose of this cycle that have failed for good, by handler. */
  get failures(): ReadonlyMap<string, ProgressRecord> {
    const failures = new Map<string, ProgressRecord>();
    for (const [id, progress] of this.handlers) {
      if (progress.failure && this.isOwn(progress)) failures.set(id, progress.toRecord());
    }
    return failures;
  }

  private isOwn({ purpose }: HandlerProgress): boolean {
    return purpose === undefined || purpose === this.purpose;
  }

  private collectDelays(handlers: Iterable<HandlerProgress>): number[] {
    const now = this.now();
    const delays: number[] = [];
    for (const progress of handlers) {
      if (progress.active && !progress.finished) delays.push(progress.untilDue(now) / 1000);
    }
    return delays;
  }

  private count(isCounted: (progress: HandlerProgress) => boolean): ProgressCounts {
    const counts: ProgressCounts = { success: 0, failure: 0, running: 0 };
    for (const progress of this.handlers.values()) {
      if (isCounted(progress)) counts[progress.success ? 'success' : progress.failure ? 'failure' : 'running'] += 1;
    }
    return counts;
  }
}
