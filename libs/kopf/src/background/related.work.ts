import type { RelatedView } from '../contexts/related.interface.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { KubeObject } from '../objects/kube-object.js';
import { changeConditions } from '../objects/conditions.js';
import type { TimerHandler } from '../registry/handler.js';
import type { RelationObserver } from '../relations/relation.js';
import type { BackgroundAttempt } from './background.attempt.js';
import { fingerprintOf, RelatedProgress } from './related.progress.js';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { type HandlerCalls, LEADERSHIP_POLLING } from './handler.calls.js';

/** A handler that is called when related objects change. */
export type RelatedHandler = TimerHandler & Required<Pick<TimerHandler, 'relation'>>;

/** Seconds for which changes are collected, unless the handler has a `batchWindow`. */
const BATCH_WINDOW = 0.1;

/** Seconds before the handler is called again after a conflict of its patch, or while the API server cannot be reached. */
const UNSENT_DELAY = 1;

/**
 * The work of a handler that is called when children or referents of its object change: for the first time when all of them are known, then
 * once for each burst of changes. Changes during a call count as another burst.
 */
export class RelatedWork implements BackgroundWork, RelationObserver {
  private isRunning = false;
  /** Whether related objects have changed during the call. */
  private isStale = false;
  /** Whether the scheduled time is only for the removal of the record. */
  private isRecordDue = false;
  /** The end of the initial delay, in milliseconds of the monotonic clock. */
  private earliest = 0;
  /** The related objects when the attempt began. */
  private tried?: RelatedView;
  /** The stored progress; absent until all related objects are known. */
  private progress?: RelatedProgress;
  /** The progress between an error and the next attempt; absent otherwise. */
  private state?: ProgressState;

  constructor(
    private readonly run: WorkControl,
    private readonly calls: HandlerCalls<RelatedHandler>,
  ) {}

  get subject(): KubeObject {
    return this.calls.owner.body;
  }

  start(): void {
    const { calls } = this;
    calls.handler.relation.observe(this, calls.owner.body);
    this.earliest = calls.tools.heap.monotonic() + calls.initialDelay() * 1000;
    this.run.schedule(this.earliest);
  }

  /** Schedules a call of the handler soon, even if a retry is waiting: it may have been waiting for this very change. */
  onRelated(): void {
    if (this.run.stopper.isSet) return;
    this.isRecordDue = false;
    if (this.isRunning) this.isStale = true;
    else this.scheduleSoon();
  }

  onEvent(): void {
    const { handler, owner } = this.calls;
    if (handler.relation.observe(this, owner.body)) this.onRelated();
  }

  onTime(): void {
    const { run, calls } = this;
    // The relation calls onRelated() when all related objects are known.
    if (!calls.handler.relation.isComplete) return;
    if (this.isRecordDue) {
      this.isRecordDue = false;
      void this.removeRecord().catch((error: unknown) => run.fail(error));
      return;
    }
    const delay = this.progress ? 0 : this.restore();
    if (delay > 0) return this.scheduleIn(delay);
    if (!calls.isAllowed) return this.scheduleIn(LEADERSHIP_POLLING);
    this.isRunning = true;
    void this.attempt().catch((error: unknown) => run.fail(error));
  }

  onStop(): void {
    if (!this.isRunning) this.run.exit();
  }

  onExit(): void {
    this.calls.handler.relation.unobserve(this);
  }

  /**
   * Restores the progress that an earlier session has stored. @returns seconds until the retry is due; 0 if a related object has changed.
   */
  private restore(): number {
    const { handler, owner, tools } = this.calls;
    const { heap, settings } = tools;
    const { id, relation } = handler;
    const { body } = owner;
    this.progress = new RelatedProgress(id, settings, () => heap.now());
    this.state = this.progress.restore(body);
    if (!this.state || this.state.of(id).tried !== fingerprintOf(relation.viewOf(body))) return 0;
    return Math.min(...this.state.delays);
  }

  private async attempt(): Promise<void> {
    const { run, calls } = this;
    const state = (this.state ??= calls.createState());
    const attempt = this.prepare(state);
    const outcome = await calls.execute(attempt);
    const rejection = await calls.conclude(attempt, outcome);
    await this.storeProgress(state, rejection);
    this.isRunning = false;
    if (run.stopper.isSet) return run.exit();
    if (!state.done) return this.scheduleIn(Math.min(...state.delays));
    // The state is dropped after failures, too: the next change may be the one that the handler needs.
    this.state = undefined;
    this.scheduleNext();
  }

  private prepare(state: ProgressState): BackgroundAttempt {
    const { calls } = this;
    this.isStale = false;
    const { condition, relation } = calls.handler;
    const { body } = calls.owner;
    this.tried = relation.viewOf(body);
    const attempt = calls.prepare(state);
    if (condition === undefined) return attempt;
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
    patch.transform(changeConditions({ set: [update], generation, now: calls.tools.heap.now(), ignoresGeneration }));
    return attempt;
  }

  /** Stores the progress in a separate patch, so that the handler does not fail if the API server rejects it. */
  private async storeProgress(state: ProgressState, rejection: Error | undefined): Promise<void> {
    if (!state.done && this.tried) state.of(this.calls.handler.id).tried = fingerprintOf(this.tried);
    this.tried = undefined;
    // With a record of each rejected attempt, the operator would write again and again without any effect.
    if (rejection && !state.done) return;
    await this.sendRecord((cause) => this.progress?.store(state, cause.body, cause.patch));
  }

  private async sendRecord(write: (cause: SpawningCause) => void): Promise<void> {
    const { calls } = this;
    if (!calls.owner.hasBody) return;
    const cause = calls.owner.createCause();
    write(cause);
    if (cause.patch.isEmpty) return;
    const { unsent, rejection } = await calls.send(cause);
    this.progress?.recordSent(!unsent && !rejection);
  }

  /** Retries the removal of the record, without calling the handler. */
  private async removeRecord(): Promise<void> {
    this.isRunning = true;
    await this.sendRecord((cause) => this.progress?.remove(cause.body, cause.patch));
    this.isRunning = false;
    if (this.run.stopper.isSet) this.run.exit();
    else this.scheduleNext();
  }

  private scheduleNext(): void {
    if (this.isStale) this.scheduleSoon();
    // There may be no further change with which the unsent rest of the last patch would be sent.
    else if (this.calls.unsent) this.scheduleIn(UNSENT_DELAY);
    else if (this.progress?.isLeft) {
      this.isRecordDue = true;
      this.scheduleIn(this.progress.removalDelay);
    }
  }

  private scheduleSoon(): void {
    const { run, calls } = this;
    const { batchWindow = BATCH_WINDOW } = calls.handler;
    const soon = Math.max(this.earliest, calls.tools.heap.monotonic() + batchWindow * 1000);
    if (!run.isScheduled || run.due > soon) run.schedule(soon);
  }

  private scheduleIn(seconds: number): void {
    this.run.schedule(this.calls.tools.heap.monotonic() + seconds * 1000);
  }
}
