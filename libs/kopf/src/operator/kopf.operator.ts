import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { PauseStatus } from '../coordination/pausing/pauses.js';
import { InjectOwn, KOPF_OPERATOR_NAME } from '../kopf.tokens.js';
import { OperatorLifecycle } from './operator.lifecycle.js';
import type { OperatorState } from './operator.state.js';
import { InspectedAs } from '../common/inspection.js';

/**
 * Starts and stops the operator, and tells what it is doing.
 *
 * @example
 * await app.get(KopfOperator).ready();
 */
@Injectable()
@InspectedAs<KopfOperator>(({ state, failure, objects, daemons }) => ({ state, failure, objects, daemons }))
export class KopfOperator {
  /** @internal */
  constructor(
    @InjectOwn(OperatorLifecycle) private readonly lifecycle: OperatorLifecycle,
    /** The name that the module was given; `default` without one. */
    @InjectOwn(KOPF_OPERATOR_NAME) readonly name: string,
  ) {}

  get state(): OperatorState {
    return this.lifecycle.state;
  }

  /** The time at which the operator came into the state, in milliseconds since the epoch; `undefined` if it was never started. */
  get since(): number | undefined {
    return this.lifecycle.since;
  }

  /** The state now, and its changes as they happen. */
  get state$(): Observable<OperatorState> {
    return this.lifecycle.state$;
  }

  /** The error because of which the operator does not work; `undefined` unless the state is `failed`. */
  get failure(): unknown {
    return this.lifecycle.failure;
  }

  /** Whether a start that fails is final, as the option `required` says; otherwise it is tried again. */
  get required(): boolean {
    return this.lifecycle.required;
  }

  /**
   * Says what the operator waits for while it starts, in a sentence; `undefined` in all other states.
   *
   * @example 'The startup has not finished: WarehouseOperator.connect: no connection.'
   */
  get waitingFor(): string | undefined {
    return this.lifecycle.waitingFor;
  }

  /** The time of the next attempt of a failed operator to start, in milliseconds since the epoch; `undefined` if there is none. */
  get nextAttemptAt(): number | undefined {
    return this.lifecycle.nextAttemptAt;
  }

  /** Whether the operator pauses, and why: because of other operators, or of {@link pause}. */
  get pauseStatus(): PauseStatus {
    return this.lifecycle.pauseStatus;
  }

  /** The status of pausing now, and its changes as they happen. */
  get pauseStatus$(): Observable<PauseStatus> {
    return this.lifecycle.pauseStatus$;
  }

  /** The number of objects that are remembered: all that the operator has seen and that still exist. */
  get objects(): number {
    return this.lifecycle.objects;
  }

  /** The number of daemons and timers, including those that are exiting. */
  get daemons(): number {
    return this.lifecycle.daemons;
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
    return this.lifecycle.ready();
  }

  /**
   * Starts the operator: runs the startup handlers and logs in; the rest of the start happens in the background.
   * Does nothing if it has been started. One that is stopping starts again when it has stopped; one that has failed, at once.
   *
   * Rejects if this attempt fails. Unless the operator is {@link required}, it makes further attempts until it is stopped.
   *
   * @throws ActivityError if startup handlers have failed.
   * @throws LoginError if there are no credentials.
   * @throws OperatorStoppedError if it is stopped before it has started.
   */
  start(): Promise<void> {
    return this.lifecycle.start();
  }

  /**
   * Makes the operator pause until {@link resume}, also if it has not been started yet: it does not watch objects, but for the indices that
   * reviews read, its daemons and timers stop, and handlers in progress finish.
   */
  pause(reason?: string): void {
    this.lifecycle.pause(reason);
  }

  /** Ends the pause that {@link pause} has begun: all objects are listed again. The operator may still pause because of other operators. */
  resume(): void {
    this.lifecycle.resume();
  }

  /**
   * Takes no more events, and waits for what is being handled, not longer than the settings `queueing.exitTimeout` and
   * `background.exitTimeout` say. To be followed by {@link stop}.
   */
  drain(): Promise<void> {
    return this.lifecycle.drain();
  }

  /**
   * Stops the operator: {@link drain}s it, runs the cleanup handlers, and sends the last events.
   * The credentials and the connections stay: it can be started again.
   */
  stop(): Promise<void> {
    return this.lifecycle.stop();
  }
}
