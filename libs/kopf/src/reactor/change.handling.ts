import { isHandlingPurpose, PURPOSE_TITLES, Reason } from '../enums/reason.enum.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import type { HandlingPurpose, ProgressStorage } from '../interfaces/progress.interface.js';
import { ChangingCause } from '../registry/changing.cause.js';
import { EssenceTooLargeError } from '../persistence/essence-too-large.error.js';
import type { ChangingHandler } from '../registry/handler.js';
import { selectChangingHandlers } from '../registry/handler-selection.js';
import type { ResourceHandlers } from '../registry/kopf.registry.js';
import { ChangeExecutor, untilPicking, type ChangeHandlingTools } from './change.executor.js';
import type { ObjectMemory } from './object.memory.js';
import { ObjectProgressStorage } from './object-progress.storage.js';

const REACTOR_MESSAGES: Readonly<Partial<Record<Reason, string>>> = {
  [Reason.GONE]: 'Deleted, really deleted, and we are notified.',
  [Reason.FREE]: 'Deletion, but we are done with it, and we do not care.',
  [Reason.NOOP]: 'Something has changed, but we are not interested (the essence is the same).',
};

/** What came of one step of handling. */
export interface HandlingStep {
  /** Seconds until each of the handlers left is due; empty if none are. */
  readonly delays: readonly number[];
  /** Whether an object that is being deleted must stay. */
  readonly holdsDeletion: boolean;
}

/** The step in which there was nothing to do. */
export const NOTHING_HANDLED: HandlingStep = { delays: [], holdsDeletion: false };

/** Calls the handlers of a change, step by step, with their progress kept on the object. */
export class ChangeHandling {
  private readonly changes: ChangeExecutor;

  constructor(private readonly tools: ChangeHandlingTools) {
    this.changes = new ChangeExecutor(tools);
  }

  /** Executes what is due now. */
  async handle(handlers: ResourceHandlers, cause: ChangingCause, memory: ObjectMemory): Promise<HandlingStep> {
    if (!isHandlingPurpose(cause.reason)) {
      cause.logger.debug(() => REACTOR_MESSAGES[cause.reason] ?? cause.reason);
      await this.callOptionalHandlers(handlers.owned, cause, memory);
      return NOTHING_HANDLED;
    }
    const selected = selectChangingHandlers(handlers.changing, cause);
    const storage = this.openProgress(handlers.owned, cause, memory);
    const state = this.restoreState(cause.reason, handlers.owned, selected, cause, storage);
    if (selected.length > 0) {
      const { signal } = this.tools.scope;
      const hasPicked = await this.changes.execute(selected, state, { cause, storage, signal, lineage: [] });
      if (!state.done || this.isDeletionBlocked(cause, state)) {
        this.storeProgress(state, cause, storage);
        const { delays } = state;
        return { delays: hasPicked ? delays : delays.map(untilPicking), holdsDeletion: true };
      }
      const { success, failure } = state.counts;
      const title = capitalize(PURPOSE_TITLES[cause.reason]);
      cause.logger.log(() => `${title} is processed: ${success} succeeded; ${failure} failed.`);
      if (this.keepsProgress(cause)) this.storeProgress(state, cause, storage);
      else state.purge(handlers.owned, cause.body, cause.patch, storage);
    }
    this.storeEssence(cause, memory);
    memory.fullyHandledOnce = true;
    memory.deletionHandled ||= cause.reason === Reason.DELETE;
    return NOTHING_HANDLED;
  }

  private keepsProgress({ reason }: ChangingCause): boolean {
    return reason === Reason.DELETE && this.tools.settings.deletion.progress === 'keep';
  }

  /** Whether the object stays because a deletion handler has failed for good. The records stay, too, so that nothing is repeated. */
  private isDeletionBlocked({ reason, logger }: ChangingCause, state: ProgressState): boolean {
    if (reason !== Reason.DELETE || state.counts.failure === 0) return false;
    if (this.tools.settings.deletion.permanentErrors === 'release') return false;
    logger.warn(`The deletion is blocked, as ${state.counts.failure} of its handlers have failed for good.`);
    return true;
  }

  /** Calls what is called at best for objects that nothing of ours holds: once, without retries, without storing anything. */
  private async callOptionalHandlers(
    owned: readonly ChangingHandler[],
    cause: ChangingCause,
    memory: ObjectMemory,
  ): Promise<void> {
    if (this.tools.settings.deletion.optionalHandlers === 'skip') return;
    if (cause.reason === Reason.NOOP || memory.deletionHandled) return;
    memory.deletionHandled = true;
    const optional = owned.filter(({ reason, requiresFinalizer }) => reason === Reason.DELETE && !requiresFinalizer);
    const deletion = new ChangingCause(cause, { ...cause, reason: Reason.DELETE });
    const selected = selectChangingHandlers(optional, deletion);
    const state = new ProgressState(() => this.tools.clock.now(), Reason.DELETE).activate(selected);
    const { signal } = this.tools.scope;
    await this.tools.executor.executeOnce({
      handlers: selected,
      state,
      logger: cause.logger,
      lifecycle: allAtOnce,
      errors: 'permanent',
      signal,
      call: (handler, invocation) =>
        this.changes.call(handler, invocation, { cause: deletion, storage: this.storage, signal, lineage: [] }),
    });
  }

  /** The progress that counts for the object: not that of another one, of which it is a copy. */
  private openProgress(
    owned: readonly ChangingHandler[],
    { body, patch, logger }: ChangingCause,
    memory: ObjectMemory,
  ): ProgressStorage {
    const { diffbaseStorage, lostEssence } = this.tools.settings.persistence;
    const isCopied = diffbaseStorage.isCopied?.(body) ?? false;
    if (isCopied) {
      const foreign = new ProgressState(() => this.tools.clock.now()).restore(owned, body, this.storage);
      foreign.purge(owned, body, patch, this.storage);
    }
    return new ObjectProgressStorage(this.storage, memory, { recalls: lostEssence === 'recall', isCopied }, logger);
  }

  private storeProgress(state: ProgressState, { body, patch }: ChangingCause, storage: ProgressStorage): void {
    state.store(body, patch, storage);
    this.tools.settings.persistence.diffbaseStorage.claim?.(body, patch);
  }

  private get storage() {
    return this.tools.settings.persistence.progressStorage;
  }

  private restoreState(
    purpose: HandlingPurpose,
    owned: readonly ChangingHandler[],
    selected: readonly ChangingHandler[],
    cause: ChangingCause,
    storage: ProgressStorage,
  ): ProgressState {
    const { logger, body, patch } = cause;
    const title = PURPOSE_TITLES[purpose];
    const state = new ProgressState(() => this.tools.clock.now(), purpose)
      .restore(owned, body, storage)
      .activate(selected);
    const { superseded } = state;
    for (const [other, { success, failure, running }] of superseded) {
      const otherTitle = capitalize(isHandlingPurpose(other) ? PURPOSE_TITLES[other] : other);
      const counts = `${success} succeeded; ${failure} failed; ${running} left to the moment`;
      logger.log(`${otherTitle} is superseded by ${title}: ${counts}.`);
    }
    if (superseded.size > 0) {
      state.repurpose(selected);
      // What was not taken over is removed; the handlers of this change store their records again in this same patch.
      if (state.superseded.size > 0) state.purge(owned, body, patch, storage);
    }
    logger.debug(() => `${capitalize(title)} is in progress: ${JSON.stringify(body)}`);
    if (cause.diff.length > 0 && cause.old !== undefined) {
      logger.debug(() => `${capitalize(title)} diff: ${JSON.stringify(cause.diff)}`);
    }
    return state;
  }

  private storeEssence(cause: ChangingCause, memory: ObjectMemory): void {
    const { diffbaseStorage } = this.tools.settings.persistence;
    if (cause.new === undefined || (cause.old !== undefined && cause.diff.length === 0)) return;
    try {
      diffbaseStorage.store(cause.body, cause.patch, cause.new);
      memory.sentEssence = cause.new;
    } catch (error) {
      if (!(error instanceof EssenceTooLargeError)) throw error;
      cause.logger.error(`The object is handled, but this cannot be remembered: ${error.message}`);
      this.tools.events.post(cause.body, 'Error', 'EssenceTooLarge', error.message);
      memory.essence = cause.new;
      memory.essenceUnstorable = true;
    }
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
