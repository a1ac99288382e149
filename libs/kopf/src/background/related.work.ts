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

/** Seconds for which changes are collected, where the handler does not say. */
const BATCH_WINDOW = 0.1;

/** Seconds until the handler is called again, if its patch has met with a conflict or the API server was away. */
const UNSENT_DELAY = 1;

/**
 * The handler of one object that is called when its children or referents change: at first when all of them are known, then once for
 * each burst of changes. Changes during a call are one more burst.
 */
export class RelatedWork implements BackgroundWork, RelationObserver {
  private isRunning = false;
  /** Whether something has changed during the call. */
  private isStale = false;
  /** Whether the time that is set is for the removal of the record only. */
  private isRecordDue = false;
  /** The end of the initial delay, in milliseconds of the monotonic clock. */
  private earliest = 0;
  /** The objects that belonged to it when the attempt began. */
  private tried?: RelatedView;
  /** The stored progress; absent until everything is known. */
  private progress?: RelatedProgress;
  /** Kept only between an error and the next attempt. */
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

  /** A retry that waits need not wait any longer: it may have been waiting for this very change. */
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
    // The relation calls onRelated() when everything is known.
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

  /** Resumes what an earlier session has left. @returns seconds until its retry is due, if nothing has changed since then. */
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
    // Also after a failure: the next change can be what the handler was waiting for.
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

  /** Stores the progress in a patch of its own, so that the handler does not fail if the API server rejects it. */
  private async storeProgress(state: ProgressState, rejection: Error | undefined): Promise<void> {
    if (!state.done && this.tried) state.of(this.calls.handler.id).tried = fingerprintOf(this.tried);
    this.tried = undefined;
    // A record of each attempt whose changes are rejected would be a write for nothing.
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
    this.progress?.noteSent(!unsent && !rejection);
  }

  /** Removes the record that could not be removed before, without a call of the handler. */
  private async removeRecord(): Promise<void> {
    this.isRunning = true;
    await this.sendRecord((cause) => this.progress?.remove(cause.body, cause.patch));
    this.isRunning = false;
    if (this.run.stopper.isSet) this.run.exit();
    else this.scheduleNext();
  }

  private scheduleNext(): void {
    if (this.isStale) this.scheduleSoon();
    // Another change may never come, and with it what the last patch could not store.
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
