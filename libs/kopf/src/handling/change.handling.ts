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
import { LateChanges, selectWithLate } from './late.changes.js';
import { type Clock, stringifyJson } from 'kube-common';
import { KopfSettings } from '../settings/kopf.settings.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { KOPF_CLOCK } from '../kopf.tokens.js';
import { ChangeInterruption } from './change.interruption.js';
import { ChangeExecutor, untilPicking, type ChangeAttempt } from './change.executor.js';
import type { EventCycle } from './event.cycle.js';
import type { PatchContent } from '../objects/patch-content.js';
import { ObjectProgressStorage } from './object-progress.storage.js';
import type { RecordChanges } from './progress.memory.js';

const REACTOR_MESSAGES: Readonly<Partial<Record<Reason, string>>> = {
  [Reason.GONE]: 'Deleted, really deleted, and we are notified.',
  [Reason.FREE]: 'Deletion, but we are done with it, and we do not care.',
  [Reason.NOOP]: 'Something has changed, but we are not interested (the essence is the same).',
};

/** Reports how one step of handling ended. */
export interface HandlingStep {
  /** Seconds until each of the handlers left is due; empty if none are. */
  readonly delays: readonly number[];
  /** Is true if an object that is being deleted must stay. */
  readonly holdsDeletion: boolean;
  /** Called if the object does not go at once: stores what is kept of a deletion that is handled. */
  readonly keep?: () => void;
  /** The attempts that were made, in case that what one of them wants is refused; absent if there were none. */
  readonly attempts?: StepAttempts;
}

/** The attempts of one step. */
export interface StepAttempts {
  /** The content of the patch before the first of them. */
  readonly before: PatchContent;
  readonly all: readonly ChangeAttempt[];
  /** Makes failures of those whose changes are refused. @returns how the step ends instead */
  readonly fail: (failures: ReadonlyMap<ChangingHandler, Error>) => HandlingStep;
}

/** All that belongs to the handling of one change in one cycle. */
interface Handling {
  readonly purpose: HandlingPurpose;
  readonly cycle: EventCycle;
  readonly cause: ChangingCause;
  readonly storage: ProgressStorage;
  readonly state: ProgressState;
}

/** The step in which there was nothing to do. */
export const NOTHING_HANDLED: HandlingStep = { delays: [], holdsDeletion: false };

/** Calls the handlers of a change, step by step, with their progress kept on the object. */
@Injectable()
export class ChangeHandling {
  constructor(
    @Inject(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(ChangeExecutor) private readonly changes: ChangeExecutor,
    @Inject(LateChanges) private readonly lateChanges: LateChanges,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(Redactor) private readonly redactor: Redactor,
  ) {}

  /** Executes what is due now. */
  async handle(cycle: EventCycle, detected: ChangingCause): Promise<HandlingStep> {
    const { handlers, memory, session } = cycle;
    const storage = this.openProgress(cycle);
    const late = this.lateChanges.find(handlers.changing, detected, storage);
    const [lateChange] = late.values();
    const { reason } = lateChange?.cause ?? detected;
    const cause = reason === detected.reason ? detected : new ChangingCause(detected, { ...detected, reason });
    if (!isHandlingPurpose(cause.reason)) {
      cause.logger.debug(() => REACTOR_MESSAGES[cause.reason] ?? cause.reason);
      if (cause.reason === Reason.NOOP) {
        this.purgeLeftovers(cycle, cause);
        this.settings.persistence.diffbaseStorage.migrate?.(cause.body, cause.patch);
      }
      await this.callOptionalHandlers(cycle, cause);
      return NOTHING_HANDLED;
    }
    if (cause.reason === Reason.DELETE && memory.deletionHandled) return NOTHING_HANDLED;
    this.purgeForeign(cycle, cause);
    // Where nothing but late changes makes it an update, no handlers of updates but the late ones are for it.
    const selected = selectWithLate(handlers.changing, detected, late);
    const state = this.restoreState(cause.reason, handlers, selected, cause, storage);
    state.reopen([...late.keys()].map(({ id }) => id));
    const handling = { purpose: cause.reason, cycle, cause, storage, state };
    if (selected.length === 0) return this.conclude(handling);
    const before = cause.patch.snapshot();
    const { signal } = session;
    const interruptionOf = (handler: ChangingHandler): ChangeInterruption | undefined =>
      handler.abortOn && new ChangeInterruption(handler, cycle, cause, this.settings.persistence, signal);
    const { now } = storage;
    const step = { session, cause, storage, now, signal, interruptionOf, late, lineage: [] };
    const attempts = await this.changes.execute(selected, state, step);
    const { fullyHandledOnce, deletionHandled, progress } = memory;
    const { handledAt } = progress;
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
          progress.handledAt = handledAt;
          this.failAttempts(handling, attempts, failures, children);
          const step = this.conclude(handling, attempts);
          // The object may be in deletion by now, whose own handlers were not called yet.
          return handling.purpose === Reason.DELETE ? step : { ...step, holdsDeletion: true };
        },
      },
    };
  }

  /**
   * Makes failures of attempts that want what the API server rejects: their results do not count. Attempts of their sub-handlers that have
   * succeeded count as failed ones, as what they want is in the patch of their parent. Attempts that have failed stay as they are.
   *
   * @param children the progress of all sub-handlers, as it was after the attempts.
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
   * Adds to the patch what is to be stored of the handling.
   *
   * @param attempts those of this cycle; absent if there are no handlers for the change.
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
    }
    memory.fullyHandledOnce = true;
    // Records have their times in microseconds: one that begins right now must not seem to be older.
    memory.progress.handledAt = Math.floor(this.clock.now());
    memory.deletionHandled ||= purpose === Reason.DELETE;
    // The object goes, and what it holds goes with it: the finalizer alone tells that the deletion is handled.
    if (this.keepsProgress(cause)) return { ...NOTHING_HANDLED, keep: () => this.storeProgress(state, cause, storage) };
    if (attempts) {
      storage.mark?.(cause.body, cause.patch);
      state.purge(handlers.owned, cause.body, cause.patch, storage);
    }
    this.noteEssence(cycle, cause);
    return NOTHING_HANDLED;
  }

  /** Removes progress of a change that does not exist any more, or that is not for any handler, so that the next one begins without it. */
  purgeLeftovers(cycle: EventCycle, { body, patch }: ChangingCause): void {
    const { owned } = cycle.handlers;
    if (!cycle.memory.hasProgress && !owned.some(({ id }) => this.storage.fetch(id, body))) return;
    const state = new ProgressState(() => this.clock.now()).restore(owned, body, this.storage);
    const storage = this.openProgress(cycle);
    state.purge(owned, body, patch, storage);
    // Records of sub-handlers that are not stored yet are known by the memory only.
    for (const id of cycle.memory.knownProgress?.keys() ?? []) {
      if (owned.some((handler) => id.startsWith(`${handler.id}/`))) storage.purge(id);
    }
  }

  private keepsProgress({ reason }: ChangingCause): boolean {
    return reason === Reason.DELETE && this.settings.deletion.progress === 'keep';
  }

  /**
   * Checks whether the object stays because a deletion handler has failed for good. The records stay, too, so that nothing is
   * repeated.
   */
  private isDeletionBlocked({ reason, logger }: ChangingCause, state: ProgressState): boolean {
    if (reason !== Reason.DELETE || state.counts.failure === 0) return false;
    if (this.settings.deletion.permanentErrors === 'release') return false;
    logger.warn(`The deletion is blocked, as ${state.counts.failure} of its handlers have failed for good.`);
    return true;
  }

  /** Calls what is called at best for objects that nothing of ours holds: once, without retries, without storing anything. */
  private async callOptionalHandlers(cycle: EventCycle, cause: ChangingCause): Promise<void> {
    const { handlers, memory, session } = cycle;
    if (this.settings.deletion.optionalHandlers === 'skip') return;
    if (cause.reason === Reason.NOOP || memory.deletionHandled) return;
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
  }

  /** The progress that counts for the object: not that of another one, of which it is a copy. */
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
      // What was not taken over is removed; the handlers of this change store their records again in this same patch.
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

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
