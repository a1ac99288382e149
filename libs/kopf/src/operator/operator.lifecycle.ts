// operator: the operator as a whole: its states, its lifecycle hooks, and its session, which is one run from its start to its stop.
// Here, the parts of all other folders are created, started, paused, resumed, and stopped in the right order.
// May import: all folders but the leaves.

import { Inject, Injectable } from '@nestjs/common';
import { BehaviorSubject, type Observable, type Subscription } from 'rxjs';
import { OperatorMemo } from '../activities/operator.memo.js';
import type { LeaseStatus } from '../coordination/pausing/leadership.js';
import { Pauses, type PauseStatus } from '../coordination/pausing/pauses.js';
import { OperatorStoppedError } from './operator-stopped.error.js';
import { type Clock, Deferred, detach, joinWords } from 'kube-common';
import { timeOfDay } from '../common/time.of-day.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../kopf.tokens.js';
import type { OperatorSession } from './operator.session.js';
import type { SessionEngine } from './session.engine.js';
import { SessionFactory } from './session.factory.js';
import { StartRetries } from './start.retries.js';
import type { ActivityHandler } from '../registry/handler.js';
import type { UnservedResource } from '../resources/resource-selector.js';
import type { OperatorState } from './operator.state.js';

const BY_HAND = 'by hand';

/** The states of the operator, and the way from one to the next: one session after the other. */
@Injectable()
export class OperatorLifecycle {
  private readonly states = new BehaviorSubject<OperatorState>('idle');
  private session?: OperatorSession;
  private following?: Subscription;
  private starting?: Promise<void>;
  private draining?: Promise<void>;
  private stopping?: Promise<void>;
  /** The end of the session that has failed, for which the next one waits. */
  private discarding?: Promise<void>;
  private isRetrying = false;
  private lastError?: unknown;
  /** The time by the monotonic clock at which it came into its state. */
  private changedAt?: number;
  /** The startup handlers that have succeeded, which are called once for all attempts to start. */
  private startup = new Set<ActivityHandler>();
  /** Resolved when the startup handlers are done, and the settings are checked. */
  private preparation = new Deferred();
  private readiness = new Readiness();

  constructor(
    @Inject(SessionFactory) private readonly sessions: SessionFactory,
    @Inject(Pauses) private readonly pauses: Pauses,
    @Inject(OperatorMemo) private readonly memo: OperatorMemo,
    @Inject(StartRetries) private readonly retries: StartRetries,
    @InjectOwn(DefinitionInstaller) private readonly definitions: DefinitionInstaller,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  get state(): OperatorState {
    return this.states.value;
  }

  /** The time at which the operator came into the state, in milliseconds since the epoch; `undefined` if it was never started. */
  get since(): number | undefined {
    return this.changedAt === undefined ? undefined : timeOfDay(this.clock, this.changedAt);
  }

  /** The state now, and its changes as they happen. */
  get state$(): Observable<OperatorState> {
    return this.states.asObservable();
  }

  /** The error because of which the operator does not work; `undefined` unless the state is `failed`. */
  get failure(): unknown {
    return this.state === 'failed' ? this.lastError : undefined;
  }

  /** Whether a start that fails is final, as the option `required` says; otherwise it is tried again. */
  get required(): boolean {
    return this.retries.required;
  }

  /** What the operator waits for while it starts, as a sentence; `undefined` in all other states. */
  get waitingFor(): string | undefined {
    return this.state === 'starting' ? this.session?.waitingFor : undefined;
  }

  /** The time of the next attempt of a failed operator to start, in milliseconds since the epoch; `undefined` if there is none. */
  get nextAttemptAt(): number | undefined {
    return this.state === 'failed' ? this.retries.dueAt : undefined;
  }

  /** Whether the operator pauses, and why: because of other operators, or of {@link pause}. */
  get pauseStatus(): PauseStatus {
    return this.pauses.status;
  }

  /** Whether {@link pause} is a reason of the pause, so that {@link resume} changes anything. */
  get isPausedByHand(): boolean {
    return this.pauses.has(BY_HAND);
  }

  /** The status of pausing now, and its changes as they happen. */
  get pauseStatus$(): Observable<PauseStatus> {
    return this.pauses.status$;
  }

  /** The engine of the session, with all that the operator remembers, for inspections; `undefined` if the operator does not run. */
  get engine(): SessionEngine | undefined {
    return this.session?.engine;
  }

  /** The Lease by which the operator leads or waits; `undefined` without one. */
  get leaseStatus(): LeaseStatus | undefined {
    return this.session?.leaseStatus;
  }

  /** The number of objects that are remembered: all that the operator has seen and that still exist. */
  get objects(): number {
    return this.session?.objects ?? 0;
  }

  /** The number of daemons and timers, including those that are exiting. */
  get daemons(): number {
    return this.session?.daemons ?? 0;
  }

  /**
   * Resolves when all objects that the operator serves were listed once and their changes are being watched.
   * What the cluster does not have or does not permit is reported, but not waited for. An operator that pauses is ready, too.
   *
   * It is pending as long as the operator tries to start, and rejects if this is over: with an `OperatorStoppedError` if it was
   * stopped; with an `ActivityError` or a `LoginError` if it is required and has failed; with a `KopfOptionsError` or a
   * `KopfBootstrapError` if options or declarations must be corrected. After a failure, it is about the next start.
   */
  ready(): Promise<void> {
    return this.readiness.promise;
  }

  /**
   * Starts the operator: runs the startup handlers and logs in; the rest of the start happens in the background.
   * Does nothing if it has been started. One that is stopping starts again when it has stopped; one that has failed, at once.
   *
   * Rejects if this attempt fails. Unless the operator is required, it makes further attempts until it is stopped.
   *
   * @throws ActivityError if startup handlers have failed.
   * @throws LoginError if there are no credentials.
   * @throws CustomResourceError if the cluster lacks CRDs, and the option `crds` requires them.
   * @throws OperatorStoppedError if it is stopped before it has started.
   */
  start(): Promise<void> {
    this.starting ??= detach(() => this.performStart()).finally(() => (this.starting = undefined));
    return this.starting;
  }

  /** Resolves when the startup handlers have succeeded, after which the settings do not change any more and were checked. */
  get prepared(): Promise<void> {
    return this.preparation.promise;
  }

  /**
   * Makes the operator pause until {@link resume}, also if it has not been started yet: it does not watch objects, its daemons
   * and timers stop, and handlers in progress finish.
   */
  pause(reason = 'It was paused by hand.'): void {
    this.pauses.set(BY_HAND, reason);
  }

  /** Ends the pause that {@link pause} has begun: all objects are listed again. The operator may still pause because of other operators. */
  resume(): void {
    this.pauses.lift(BY_HAND);
  }

  /**
   * Takes no more events, and waits for what is being handled, not longer than the settings `queueing.exitTimeout` and
   * `background.exitTimeout` say. To be followed by {@link stop}.
   */
  drain(): Promise<void> {
    const { session } = this;
    if (!session) return Promise.resolve();
    this.draining ??= detach(() => this.performDrain(session));
    return this.draining;
  }

  /**
   * Stops the operator: {@link drain}s it, runs the cleanup handlers, and sends the last events.
   * The credentials and the connections stay: it can be started again.
   */
  stop(): Promise<void> {
    const { session } = this;
    if (!session) return Promise.resolve();
    this.stopping ??= detach(() => this.performStop(session)).finally(() => (this.stopping = undefined));
    return this.stopping;
  }

  private async performStart(): Promise<void> {
    if (this.isRetrying) await this.prepareRetry();
    else if (!(await this.prepareFirst())) return;
    const session = this.sessions.create();
    this.session = session;
    this.transit('starting');
    const onFailed = (error: unknown): void => this.fail(session, error);
    try {
      await session.startUp(this.startup, onFailed);
      this.preparation.resolve();
      await session.logIn();
      await session.install(this.definitions);
    } catch (error) {
      if (session.isStopping) throw new OperatorStoppedError();
      this.fail(session, error);
      throw error;
    }
    session.run(() => this.becomeReady(session), onFailed);
  }

  /** Prepares another attempt to start, in which succeeded startup handlers and the memo stay as they are. */
  private async prepareRetry(): Promise<void> {
    this.retries.cancel();
    await this.discarding;
    if (this.state !== 'failed') throw new OperatorStoppedError();
    this.isRetrying = false;
  }

  /**
   * Prepares a start from the beginning.
   *
   * @returns whether there is anything to start.
   */
  private async prepareFirst(): Promise<boolean> {
    // The remains of a failed start must not outlive it.
    if (this.state === 'failed') await this.stop();
    else await this.stopping;
    if (this.state !== 'idle' && this.state !== 'stopped') return false;
    if (this.state === 'stopped') {
      this.readiness = new Readiness();
      this.preparation = new Deferred();
      this.startup = new Set();
    }
    this.retries.reset();
    this.memo.renew();
    return true;
  }

  private async performDrain(session: OperatorSession): Promise<void> {
    this.retries.cancel();
    this.isRetrying = false;
    this.transit('stopping');
    await session.drain();
  }

  private async performStop(session: OperatorSession): Promise<void> {
    await this.drain();
    await this.discarding;
    this.following?.unsubscribe();
    // Once for all attempts to start, also if none has succeeded: some startup handlers may have opened something.
    await session.cleanUp();
    await session.close();
    this.session = undefined;
    this.draining = undefined;
    this.readiness.reject(new OperatorStoppedError());
    this.transit('stopped');
    this.logger.log('The operator has stopped.');
  }

  private becomeReady(session: OperatorSession): void {
    if (this.state !== 'starting' || this.session !== session) return;
    const { paused } = this.pauses.status;
    this.retries.noteReady();
    this.transit(paused ? 'paused' : 'running');
    this.readiness.resolve();
    const watched = `${this.objects} ${this.objects === 1 ? 'object' : 'objects'}`;
    const work = paused ? 'pauses' : `watches ${watched}`;
    const unserved = session.unserved.map(describeUnserved);
    if (unserved.length === 0) this.logger.log(`The operator is ready: it ${work}.`);
    else this.logger.log(`The operator is ready, but not for all handlers: ${unserved.join('; ')}. It ${work}.`);
    this.following = this.pauses.paused$.subscribe((isPaused) => this.notePause(isPaused));
  }

  private notePause(isPaused: boolean): void {
    const next = isPaused ? 'paused' : 'running';
    if (this.state === 'running' || this.state === 'paused') if (this.state !== next) this.transit(next);
  }

  private transit(state: OperatorState): void {
    this.changedAt = this.clock.monotonic();
    this.states.next(state);
  }

  private fail(session: OperatorSession, error: unknown): void {
    if (this.session !== session || session.isStopping) return;
    this.following?.unsubscribe();
    this.lastError = error;
    if (this.readiness.isSettled) this.readiness = new Readiness();
    this.isRetrying = this.retries.schedule(error, () => void this.start().catch(() => undefined));
    if (this.isRetrying) this.discarding = session.discard();
    else this.readiness.reject(error);
    this.transit('failed');
  }
}

function describeUnserved({ resource, handlers, suggestions }: UnservedResource): string {
  const question = suggestions.length === 0 ? '' : `, did you mean ${joinWords(suggestions, 'or')}?`;
  return `${joinWords(handlers, 'and')} (${resource}${question})`;
}

/** The promise of the operator to be ready; its rejection is no unhandled one, as the application need not wait for it. */
class Readiness extends Deferred {
  isSettled = false;

  constructor() {
    super();
    const settle = (): void => void (this.isSettled = true);
    this.promise.then(settle, settle);
  }
}
