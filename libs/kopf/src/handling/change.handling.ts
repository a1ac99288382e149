import { ChangingCause } from '../contexts/changing.cause.js';
import { Inject, Injectable } from '@nestjs/common';
import { isHandlingPurpose, PURPOSE_TITLES, Reason } from '../contexts/reason.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import type { HandlingPurpose, ProgressStorage } from '../state/storages.js';
import { isForeignRecord, type ChangingHandler } from '../registry/handler.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import { selectChangingHandlers } from '../registry/handler-selection.js';
import { Redactor } from '../resources/redactor.js';
import { LateChanges, selectWithLate, type LateHandlers } from './late.changes.js';
import { type Clock, stringifyJson } from 'kube-common';
import { KopfSettings } from '../settings/kopf.settings.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { ChangeInterruption } from './change.interruption.js';
import { ChangeExecutor, untilPicking, type ChangeAttempt } from './change.executor.js';
import type { EventCycle } from './event.cycle.js';
import type { ObjectMemory } from './object.memory.js';
import type { PatchContent } from '../objects/patch-content.js';
import { ObjectProgressStorage } from './object-progress.storage.js';
import type { FailedHandling, RecordChanges } from './progress.memory.js';

const REACTOR_MESSAGES: Readonly<Partial<Record<Reason, string>>> = {
  [Reason.GONE]: 'Deleted, really deleted, and we are notified.',
  [Reason.FREE]: 'Deletion, but we are done with it, and we do not care.',
  [Reason.NOOP]: 'Something has changed, but we are not interested (the essence is the same).',
};

/** The end of one step of handling. */
export interface HandlingStep {
  /** For each unfinished handler, the seconds until it is due; empty if all have finished. */
  readonly delays: readonly number[];
  /** Whether an object that is being deleted must be held by the finalizer. */
  readonly holdsDeletion: boolean;
  /** Stores the progress of a handled deletion; called if the object does not disappear at once. */
  readonly keep?: () => void;
  /** The attempts of the step, in case that the API server rejects the changes of one; absent if there were none. */
  readonly attempts?: StepAttempts;
}

/** The attempts of one step. */
export interface StepAttempts {
  /** The content of the patch before the first attempt. */
  readonly before: PatchContent;
  readonly all: readonly ChangeAttempt[];
  /** Turns attempts whose changes are rejected into failures. @returns the step that ends with these failures */
  readonly fail: (failures: ReadonlyMap<ChangingHandler, Error>) => HandlingStep;
}

/** The handling of one change in one cycle. */
interface Handling {
  readonly purpose: HandlingPurpose;
  readonly cycle: EventCycle;
  readonly cause: ChangingCause;
  readonly storage: ProgressStorage & Pick<ObjectProgressStorage, 'now'>;
  readonly state: ProgressState;
}

/** The step without anything to do. */
export const NOTHING_HANDLED: HandlingStep = { delays: [], holdsDeletion: false };

/** The handling of changes: it calls the handlers of a change step by step, with their progress stored on the object. */
@Injectable()
export class ChangeHandling {
  constructor(
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(ChangeExecutor) private readonly changes: ChangeExecutor,
    @Inject(LateChanges) private readonly lateChanges: LateChanges,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(Redactor) private readonly redactor: Redactor,
  ) {}

  /** Executes the handlers that are due now. Returns at once if there is none to call. */
  handle(cycle: EventCycle, detected: ChangingCause): HandlingStep | Promise<HandlingStep> {
    const { handlers, memory } = cycle;
    const storage = this.openProgress(cycle);
    const late = this.lateChanges.find(handlers.changing, detected, storage);
    const [lateChange] = late.size > 0 ? late.values() : [];
    const { reason } = lateChange?.cause ?? detected;
    const cause = reason === detected.reason ? detected : new ChangingCause(detected, { ...detected, reason });
    if (!isHandlingPurpose(cause.reason)) {
      cause.logger.debug(() => REACTOR_MESSAGES[cause.reason] ?? cause.reason);
      if (cause.reason === Reason.NOOP) {
        this.purgeLeftovers(cycle, cause);
        this.settings.persistence.diffbaseStorage.migrate?.(cause.body, cause.patch);
      }
      const isCalled = cause.reason !== Reason.NOOP && this.mustCallOptionalHandlers(memory);
      return isCalled ? this.callOptionalHandlers(cycle, cause) : NOTHING_HANDLED;
    }
    if (cause.reason === Reason.DELETE && memory.deletionHandled) return NOTHING_HANDLED;
    this.purgeForeign(cycle, cause);
    // If only late changes make this an update, the late handlers are the only update handlers to call.
    const selected = selectWithLate(handlers.changing, detected, late);
    const state = this.restoreState(cause.reason, handlers, selected, cause, storage);
    if (late.size > 0) state.reopen([...late.keys()].map(({ id }) => id));
    const handling = { purpose: cause.reason, cycle, cause, storage, state };
    return selected.length === 0 ? this.conclude(handling) : this.callHandlers(handling, selected, late);
  }

  /** Executes the handlers of a change. */
  private async callHandlers(
    handling: Handling,
    selected: readonly ChangingHandler[],
    late: LateHandlers,
  ): Promise<HandlingStep> {
    const { cycle, cause, storage, state } = handling;
    const { memory, session } = cycle;
    const before = cause.patch.snapshot();
    const { signal } = session;
    const interruptionOf = (handler: ChangingHandler): ChangeInterruption | undefined =>
      handler.abortOn && new ChangeInterruption(handler, cycle, cause, this.settings.persistence, signal);
    const { now } = storage;
    const step = { session, cause, storage, now, signal, interruptionOf, late, lineage: [] };
    const attempts = await this.changes.execute(selected, state, step);
    const { fullyHandledOnce, deletionHandled, progress } = memory;
    const { handledAt, failed } = progress;
    const children = progress.copyChanges();
    const { delays, holdsDeletion, keep } = this.conclude(handling, attempts);
    return {
      delays,
      holdsDeletion,
      keep,
      attempts: {
        before,
        all: attempts,
        fail: (failures) => {
          Object.assign(memory, { fullyHandledOnce, deletionHandled });
          Object.assign(progress, { handledAt, failed });
          this.failAttempts(handling, attempts, failures, children);
          const step = this.conclude(handling, attempts);
          // The object may be in deletion by now, and its deletion handlers were not called yet.
          return handling.purpose === Reason.DELETE ? step : { ...step, holdsDeletion: true };
        },
      },
    };
  }

  /**
   * Turns attempts whose changes the API server rejects into failures, so that their results do not count. Succeeded attempts of their
   * sub-handlers become failures, too, as the patch of the parent has their changes. Attempts that have failed stay as they are.
   *
   * @param children the progress of all sub-handlers after the attempts.
   */
  private failAttempts(
    { cycle, cause, state }: Handling,
    attempts: readonly ChangeAttempt[],
    failures: ReadonlyMap<ChangingHandler, Error>,
    children: RecordChanges,
  ): void {
    const { memory } = cycle;
    const { logger } = cause;
    const dropped = new Set<string>();
    for (const { handler, outcome } of attempts) {
      const error = failures.get(handler);
      if (!error) continue;
      for (const id of outcome.subrefs) dropped.add(id);
      this.executor.failAttempt(handler, { state, logger, cause }, error, outcome);
    }
    memory.forgetChanges();
    for (const [id, record] of children) {
      const isUndone = record?.success === true && dropped.has(id);
      memory.progress.noteChange(id, isUndone ? { ...record, success: false, stopped: null } : record);
    }
  }

  /**
   * Ends the step: adds to the patch what is to be stored of the handling.
   *
   * @param attempts the attempts of this cycle; absent if there are no handlers for the change.
   */
  private conclude(handling: Handling, attempts?: readonly ChangeAttempt[]): HandlingStep {
    const { purpose, cycle, cause, storage, state } = handling;
    const { handlers, memory } = cycle;
    if (attempts) {
      if (!state.done || this.isDeletionBlocked(cause, state)) {
        this.storeProgress(state, cause, storage);
        const { delays } = state;
        return { delays: attempts.length > 0 ? delays : delays.map(untilPicking), holdsDeletion: true };
      }
      const { success, failure } = state.counts;
      const title = capitalize(PURPOSE_TITLES[purpose]);
      cause.logger.log(() => `${title} is processed: ${success} succeeded; ${failure} failed.`);
      memory.progress.failed = failure > 0 ? failedHandling(purpose, state, cause) : undefined;
    }
    memory.fullyHandledOnce = true;
    // The times of records are whole microseconds: a record that begins right now must not seem to be older than this handling.
    memory.progress.handledAt = Math.floor(this.clock.now());
    // A resumption, or a change that no handler is for, shows nothing of handlers that have failed for good in an earlier process.
    memory.progress.knowsFailures ||=
      purpose === Reason.CREATE || (attempts !== undefined && purpose !== Reason.RESUME);
    memory.deletionHandled ||= purpose === Reason.DELETE;
    // The progress disappears with the object: that the finalizer is gone is enough to show that the deletion is handled.
    if (this.keepsProgress(cause)) return { ...NOTHING_HANDLED, keep: () => this.storeProgress(state, cause, storage) };
    if (attempts) {
      storage.mark?.(cause.body, cause.patch);
      state.purge(handlers.owned, cause.body, cause.patch, storage);
    }
    this.noteEssence(cycle, cause);
    return NOTHING_HANDLED;
  }

  /** Removes the progress of an earlier change, or of one that no handler matches, so that the next change begins without it. */
  purgeLeftovers(cycle: EventCycle, { body, patch }: ChangingCause): void {
    const { owned } = cycle.handlers;
    if (!cycle.memory.hasProgress && !owned.some(({ id }) => this.storage.fetch(id, body))) return;
    const state = new ProgressState(() => this.clock.now()).restore(owned, body, this.storage);
    const storage = this.openProgress(cycle);
    state.purge(owned, body, patch, storage);
    // Only the memory knows the records of sub-handlers that are not stored yet.
    for (const id of cycle.memory.knownProgress?.keys() ?? []) {
      if (owned.some((handler) => id.startsWith(`${handler.id}/`))) storage.purge(id);
    }
  }

  private keepsProgress({ reason }: ChangingCause): boolean {
    return reason === Reason.DELETE && this.settings.deletion.progress === 'keep';
  }

  /**
   * Whether the object stays because a deletion handler has failed permanently. The records stay, too, so that no handler is called again.
   */
  private isDeletionBlocked({ reason, logger }: ChangingCause, state: ProgressState): boolean {
    if (reason !== Reason.DELETE || state.counts.failure === 0) return false;
    if (this.settings.deletion.permanentErrors === 'release') return false;
    logger.warn(`The deletion is blocked, as ${state.counts.failure} of its handlers have failed for good.`);
    return true;
  }

  private mustCallOptionalHandlers({ deletionHandled }: ObjectMemory): boolean {
    return !deletionHandled && this.settings.deletion.optionalHandlers !== 'skip';
  }

  /** Calls the optional handlers of an object without the finalizer: once, without retries, and without storing state. */
  private async callOptionalHandlers(cycle: EventCycle, cause: ChangingCause): Promise<HandlingStep> {
    const { handlers, memory, session } = cycle;
    memory.deletionHandled = true;
    const optional = handlers.owned.filter(
      ({ reason, requiresFinalizer }) => reason === Reason.DELETE && !requiresFinalizer,
    );
    const deletion = new ChangingCause(cause, { ...cause, reason: Reason.DELETE });
    const selected = selectChangingHandlers(optional, deletion);
    const state = new ProgressState(() => this.clock.now(), Reason.DELETE).activate(selected);
    const { signal, monitor } = session;
    const { now } = state;
    const step = { session, cause: deletion, storage: this.storage, now, signal, lineage: [] };
    await this.executor.executeOnce({
      handlers: selected,
      state,
      logger: cause.logger,
      cause: deletion,
      lifecycle: allAtOnce,
      errors: 'permanent',
      signal,
      monitor,
      call: (handler, invocation) => this.changes.call(handler, invocation, step),
    });
    return NOTHING_HANDLED;
  }

  /** Opens the progress of the object. The progress of another object, of which this one is a copy, is ignored. */
  private openProgress({ body, memory, logger }: EventCycle): ObjectProgressStorage {
    const { diffbaseStorage, lostEssence } = this.settings.persistence;
    const isCopied = diffbaseStorage.isCopied?.(body) ?? false;
    return new ObjectProgressStorage(
      this.storage,
      memory.progress,
      { recalls: lostEssence === 'recall', isCopied },
      logger,
      this.clock,
    );
  }

  /** Removes the progress of another object, of which this one is a copy. */
  private purgeForeign(cycle: EventCycle, { body }: ChangingCause): void {
    if (!this.settings.persistence.diffbaseStorage.isCopied?.(body)) return;
    const { owned } = cycle.handlers;
    const foreign = new ProgressState(() => this.clock.now()).restore(owned, body, this.storage);
    foreign.purge(owned, body, cycle.bookkeeping, this.storage);
  }

  private storeProgress(state: ProgressState, { body, patch }: ChangingCause, storage: ProgressStorage): void {
    state.store(body, patch, storage);
  }

  private get storage() {
    return this.settings.persistence.progressStorage;
  }

  private restoreState(
    purpose: HandlingPurpose,
    { owned, changing }: ResourceHandlers,
    selected: readonly ChangingHandler[],
    cause: ChangingCause,
    storage: ObjectProgressStorage,
  ): ProgressState {
    const { logger, resource, body, patch } = cause;
    const title = PURPOSE_TITLES[purpose];
    const state = new ProgressState(storage.now, purpose).restore(owned, body, storage).activate(selected);
    const { superseded } = state;
    for (const [other, { success, failure, running }] of superseded) {
      const otherTitle = capitalize(isHandlingPurpose(other) ? PURPOSE_TITLES[other] : other);
      const counts = `${success} succeeded; ${failure} failed; ${running} left to the moment`;
      logger.log(`${otherTitle} is superseded by ${title}: ${counts}.`);
    }
    if (superseded.size > 0) {
      const restarted = selected
        .filter((handler) => isForeignRecord(handler, changing, state.of(handler.id).purpose))
        .map(({ id }) => id);
      state.setPurpose(selected);
      // Removes records that were not taken over. The handlers of this change store their records again in the same patch.
      if (state.superseded.size > 0 || restarted.length > 0) state.purge(owned, body, patch, storage);
      state.restart(restarted);
    }
    logger.debug(() => `${capitalize(title)} is in progress.`);
    logger.verbose?.(() => `${capitalize(title)} body: ${stringifyJson(this.redactor.object(resource, body))}`);
    if (cause.diff.length > 0 && cause.old !== undefined) {
      logger.verbose?.(() => `${capitalize(title)} diff: ${stringifyJson(this.redactor.diff(resource, cause.diff))}`);
    }
    return state;
  }

  private noteEssence({ memory, bookkeeping }: EventCycle, cause: ChangingCause): void {
    if (cause.new === undefined) return;
    if (cause.old !== undefined && cause.diff.length === 0) {
      this.settings.persistence.diffbaseStorage.migrate?.(cause.body, bookkeeping);
      return;
    }
    memory.essence.noteChange(cause.new);
  }
}

function failedHandling(purpose: HandlingPurpose, { failures }: ProgressState, { old }: ChangingCause): FailedHandling {
  return { purpose, records: failures, ...(purpose === Reason.UPDATE && old !== undefined && { old }) };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
