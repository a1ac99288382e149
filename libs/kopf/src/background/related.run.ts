import type { RelatedView } from '../contexts/related.interface.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { Outcome } from '../execution/outcome.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { KubeObject } from '../objects/kube-object.js';
import { changeConditions } from '../objects/conditions.js';
import type { TimerHandler } from '../registry/handler.js';
import type { RelationObserver } from '../relations/relation.js';
import type { BackgroundAttempt } from './background.attempt.js';
import { fingerprintOf, RelatedProgress } from './related.progress.js';
import { TimerRun } from './timer.run.js';

/** A handler that is called when related objects change. */
export type RelatedHandler = TimerHandler & Required<Pick<TimerHandler, 'relation'>>;

/** Seconds for which changes are collected, where the handler does not say. */
const BATCH_WINDOW = 0.1;

/** Seconds until the handler is called again, if its patch has met with a conflict or the API server was away. */
const UNSENT_DELAY = 1;

/**
 * The handler of one object that is called when its children or referents change: at first when all of them are known, then once for
 * each burst of changes. Changes during a call are one more burst.
 */
export class RelatedRun extends TimerRun<RelatedHandler> implements RelationObserver {
  /** Is true if something has changed during the call. */
  private isStale = false;
  /** Is true if the time that is set is for the removal of the record only. */
  private isRecordDue = false;
  /** The end of the initial delay, in milliseconds of the monotonic clock. */
  private earliest = 0;
  /** The objects that belonged to it when the attempt began. */
  private tried?: RelatedView;
  /** Is there once everything is known, and with it if a stored retry is still to be waited for. */
  private progress?: RelatedProgress;

  get subject(): KubeObject {
    return this.owner.body;
  }

  override start(): void {
    this.handler.relation.observe(this, this.owner.body);
    const { heap } = this.tools;
    this.earliest = heap.monotonic() + this.initialDelay() * 1000;
    heap.schedule(this, this.earliest);
  }

  /** A retry that waits need not wait any longer: it may have been waiting for this very change. */
  onRelated(): void {
    if (this.stopper.isSet) return;
    this.isRecordDue = false;
    if (this.isRunning) this.isStale = true;
    else this.scheduleSoon();
  }

  override onEvent(): void {
    if (this.handler.relation.observe(this, this.owner.body)) this.onRelated();
  }

  protected override onTime(): void {
    // It is told when everything is known.
    if (!this.handler.relation.isComplete) return;
    if (this.isRecordDue) {
      this.isRecordDue = false;
      void this.removeRecord().catch((error: unknown) => this.fail(error));
      return;
    }
    const delay = this.progress ? 0 : this.restore();
    if (delay > 0) this.tools.heap.schedule(this, this.tools.heap.monotonic() + delay * 1000);
    else super.onTime();
  }

  /** Goes on with what an earlier session has left. @returns seconds until its retry is due, if nothing has changed since then. */
  private restore(): number {
    const { heap, settings } = this.tools;
    const { id, relation } = this.handler;
    const { body } = this.owner;
    this.progress = new RelatedProgress(id, settings, () => heap.now());
    this.state = this.progress.restore(body);
    if (!this.state || this.state.of(id).tried !== fingerprintOf(relation.viewOf(body))) return 0;
    return Math.min(...this.state.delays);
  }

  protected override createAttempt(state: ProgressState): BackgroundAttempt {
    this.isStale = false;
    const { condition, relation } = this.handler;
    this.tried = relation.viewOf(this.owner.body);
    const attempt = super.createAttempt(state);
    if (condition === undefined) return attempt;
    const { body } = this.owner;
    const { missing } = this.tried;
    const update = {
      type: condition,
      status: missing.length === 0,
      reason: missing.length === 0 ? 'AllFound' : 'NotFound',
      message: missing.map(({ resource, name, field }) => `${field}: there is no '${name}' of ${resource}`).join('; '),
    };
    const { generation } = body.metadata;
    const { patch, resource } = attempt.cause;
    const ignoresGeneration = !resource.subresources.includes('status');
    patch.transform(changeConditions({ set: [update], generation, now: this.tools.heap.now(), ignoresGeneration }));
    return attempt;
  }

  /** Stores the progress in a patch of its own, so that the handler does not fail if the API server rejects it. */
  protected override async conclude(attempt: BackgroundAttempt, outcome: Outcome): Promise<Error | undefined> {
    const rejection = await super.conclude(attempt, outcome);
    const { state } = attempt;
    if (!state.done && this.tried) state.of(this.handler.id).tried = fingerprintOf(this.tried);
    this.tried = undefined;
    // A record of each attempt whose changes are rejected would be a write for nothing.
    if (!rejection || state.done)
      await this.sendRecord((cause) => this.progress?.store(state, cause.body, cause.patch));
    return rejection;
  }

  private async sendRecord(write: (cause: SpawningCause) => void): Promise<void> {
    if (!this.owner.hasBody) return;
    const cause = this.owner.createCause();
    write(cause);
    if (cause.patch.isEmpty) return;
    const { unsent, rejection } = await this.send(cause);
    this.progress?.noteSent(!unsent && !rejection);
  }

  /** Removes the record that could not be removed before, without a call of the handler. */
  private async removeRecord(): Promise<void> {
    this.isRunning = true;
    await this.sendRecord((cause) => this.progress?.remove(cause.body, cause.patch));
    this.isRunning = false;
    if (this.stopper.isSet) this.exit();
    else this.scheduleNext();
  }

  /** The next change can be what it was waiting for. */
  protected override endsWithFailure(): boolean {
    return false;
  }

  protected override scheduleNext(): void {
    const { heap } = this.tools;
    if (this.isStale) this.scheduleSoon();
    // Another change may never come, and with it what the last patch could not store.
    else if (this.unsent) heap.schedule(this, heap.monotonic() + UNSENT_DELAY * 1000);
    else if (this.progress?.isLeft) {
      this.isRecordDue = true;
      heap.schedule(this, heap.monotonic() + this.progress.removalDelay * 1000);
    }
  }

  protected override exit(): void {
    this.handler.relation.unobserve(this);
    super.exit();
  }

  private scheduleSoon(): void {
    const { heap } = this.tools;
    const soon = Math.max(this.earliest, heap.monotonic() + (this.handler.batchWindow ?? BATCH_WINDOW) * 1000);
    if (this.position < 0 || this.due > soon) heap.schedule(this, soon);
  }
}
