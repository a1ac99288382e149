import { ActivityKind, type ActivityHandler } from '../registry/handler.js';
import { Leadership, type Coordination, type LeaseStatus } from '../coordination/pausing/leadership.js';
import { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import { Deferred, errorText, unlessAborted } from 'kube-common';
import type { UnservedResource } from '../resources/resource-selector.js';
import type { Orchestrator } from '../watching/orchestrator.js';
import { PauseSwitch } from './pause.switch.js';
import type { SessionEngine } from './session.engine.js';
import type { SessionOptions } from './session.options.js';
import { checkSettings } from './settings.factory.js';

/** One run of the operator, from its start to its stop: all that must not outlive it. */
export class OperatorSession {
  /** Aborted to end the watching and the waiting for retries. */
  private readonly stopping = new AbortController();
  /** Aborted to end the waiting for handlers. */
  private readonly ending = new AbortController();
  /** Aborted to end the sending of the patches of daemons. */
  private readonly closing = new AbortController();
  /** All that is remembered in the session. */
  readonly engine: SessionEngine;
  private readonly leadership: Leadership;
  private readonly monitor: BlockageMonitor;
  private readonly pauseSwitch: PauseSwitch;
  private coordination?: Coordination;
  private orchestrator?: Orchestrator;
  private starting?: Promise<void>;
  private loggingIn = false;
  private installing = false;
  private running?: Promise<void>;
  private draining?: Promise<void>;
  private closed?: Promise<void>;

  constructor(private readonly options: SessionOptions) {
    const { engines, watching, pauses, environment } = options;
    const { clock, logger } = environment;
    this.leadership = new Leadership(clock);
    this.monitor = new BlockageMonitor(clock);
    const signals = { ending: this.ending.signal, closing: this.closing.signal };
    this.engine = engines.create(signals, this.leadership, this.monitor);
    this.pauseSwitch = new PauseSwitch(pauses, watching.watcher, this.engine.background, logger);
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** The unfinished part of the start, as a sentence; `undefined` before the start is begun. */
  get waitingFor(): string | undefined {
    const { activities } = this.options;
    if (this.orchestrator) return describeLookup(this.orchestrator);
    if (this.installing) return 'It waits for its CRDs.';
    if (this.loggingIn) return describeActivity('login', activities.describeUnfinished(ActivityKind.LOGIN));
    return this.starting && describeActivity('startup', activities.describeUnfinished(ActivityKind.STARTUP));
  }

  /** The Lease by which the operator leads or waits, if there is one. */
  get leaseStatus(): LeaseStatus | undefined {
    return this.coordination?.leaseStatus;
  }

  /** The number of daemons and timers, including those that are exiting. */
  get daemons(): number {
    return this.engine.background.size;
  }

  /** The resources of handlers that the cluster does not serve. */
  get unserved(): readonly UnservedResource[] {
    return this.options.watching.watcher.unserved;
  }

  /** The number of objects that are remembered. */
  get objects(): number {
    return this.engine.inventory.size;
  }

  /**
   * Runs the startup handlers, after which the settings do not change any more.
   *
   * @param succeeded holds those that are not called, as they have succeeded in an earlier attempt; those that succeed are added.
   * @param onFailed called if admission cannot go on, at any time later.
   * @throws ActivityError if any has failed.
   * @throws KopfOptionsError, KopfBootstrapError if the settings do not fit the handlers.
   */
  startUp(succeeded: Set<ActivityHandler>, onFailed: (error: unknown) => void): Promise<void> {
    this.starting = this.prepare(succeeded, (error) => {
      if (!this.stopping.signal.aborted) onFailed(error);
    });
    return this.starting;
  }

  /**
   * Waits until there are credentials, or until the session ends.
   *
   * @throws LoginError if there are none.
   */
  async logIn(): Promise<void> {
    const { signal } = this.stopping;
    signal.throwIfAborted();
    this.loggingIn = true;
    // The clients of the application need the login, too, so it is not aborted.
    await unlessAborted(this.options.vault.acquire(), signal);
  }

  /**
   * Waits until the cluster has the CRDs that the operator needs, and their objects can be converted, or until the session ends.
   *
   * @throws CustomResourceError, KopfBootstrapError if it cannot have them.
   */
  async install(definitions: DefinitionInstaller): Promise<void> {
    this.installing = true;
    const { signal } = this.stopping;
    await unlessAborted(this.engine.conversion.install(definitions, signal), signal);
  }

  /**
   * Begins to watch and to handle objects.
   *
   * @param onSettled called when all objects were listed, and indexed, for the first time.
   * @param onFailed called if the work cannot go on.
   */
  run(onSettled: () => void, onFailed: (error: unknown) => void): void {
    const { pauses, coordinations, watching } = this.options;
    this.coordination = coordinations.create(this.leadership, this.monitor);
    this.pauseSwitch.start(this.stopping.signal);
    const orchestrator = watching.createOrchestrator(this.engine, this.coordination);
    this.orchestrator = orchestrator;
    // An operator that pauses is as ready as it can be.
    const onListed = (): void => void Promise.race([this.engine.gate.opened(), pauses.untilPaused()]).then(onSettled);
    this.running = orchestrator.run(this.stopping.signal, onListed).catch((error: unknown) => {
      if (!this.stopping.signal.aborted) onFailed(error);
    });
  }

  /** Takes no more events; waits for the work in progress for a limited time, and sends the pending patches. */
  drain(): Promise<void> {
    this.draining ??= this.performDrain();
    return this.draining;
  }

  /** Runs the cleanup handlers, not longer than the settings allow; their errors are logged. To be called before {@link close}. */
  async cleanUp(): Promise<void> {
    const { settings, logger } = this.options.environment;
    // What is left of other handlers may have been ended already, and must not end these.
    const over = new AbortController();
    if (!(await this.isDoneInTime(this.runCleanup(over.signal), settings.process.ultimateExitingTimeout))) {
      logger.warn('The cleanup handlers are not waited for any longer.');
      over.abort();
    }
  }

  /** Sends the last events, and forgets everything; none of it takes longer than the settings allow. */
  close(): Promise<void> {
    this.closed ??= this.performClose();
    return this.closed;
  }

  /** Ends everything after a start that has failed, so that another session can follow. Never rejects. */
  async discard(): Promise<void> {
    try {
      await this.drain();
      await this.close();
    } catch (error) {
      this.options.environment.logger.error('What is left of a failed start could not be ended.', error);
    }
  }

  private async performDrain(): Promise<void> {
    const { watching, environment } = this.options;
    const { settings, logger } = environment;
    this.stopping.abort();
    this.engine.gate.abort();
    await this.pauseSwitch.stop();
    const exited = this.engine.background.exit();
    const { admission, conversion } = this.engine;
    const releasing = Promise.all([admission.release(), conversion.release()]);
    const released = this.isDoneInTime(releasing, settings.queueing.exitTimeout);
    // The caller of the start has got the reason already.
    const started = this.starting?.catch(() => undefined);
    const drained = Promise.all([watching.watcher.stop(), this.running, started]);
    if (!(await this.isDoneInTime(drained, settings.queueing.exitTimeout))) {
      logger.warn('Some handlers are still running; they are not waited for any longer.');
      this.ending.abort();
    }
    await exited;
    if (!(await released)) logger.warn('The webhooks could not be removed in time; the next start writes them anew.');
  }

  private async performClose(): Promise<void> {
    const { settings, logger } = this.options.environment;
    const { exitTimeout } = settings.queueing;
    // The last reviews may take as long as all others: users wait for them.
    if (!(await this.isDoneInTime(this.engine.admission.stop(), settings.admission.timeout))) {
      logger.warn('The admission server is not waited for any longer.');
    }
    this.engine.admission.close();
    this.engine.conversion.close();
    await this.isDoneInTime(this.engine.events.flush(), exitTimeout);
    this.engine.events.close();
    this.ending.abort();
    this.closing.abort();
    if (this.coordination && !(await this.isDoneInTime(this.coordination.leave(), exitTimeout))) {
      logger.warn('Other operators could not be told that this one has stopped; they will find out on their own.');
    }
    this.engine.clear();
  }

  private async prepare(succeeded: Set<ActivityHandler>, onFailed: (error: unknown) => void): Promise<void> {
    await this.options.activities.run(ActivityKind.STARTUP, this.stopping.signal, succeeded);
    checkSettings(this.options.environment.settings);
    await this.engine.admission.prepare(onFailed);
  }

  private async runCleanup(signal: AbortSignal): Promise<void> {
    const { activities, environment } = this.options;
    try {
      await activities.run(ActivityKind.CLEANUP, signal);
    } catch (error) {
      environment.logger.error((error as Error).message, error);
    }
  }

  /** Waits for the work, but not longer than the seconds; its later failures are ignored. */
  private async isDoneInTime(work: Promise<unknown>, seconds: number): Promise<boolean> {
    const over = new Deferred<false>();
    const timer = this.options.environment.clock.setTimer(() => over.resolve(false), seconds * 1000);
    try {
      return await Promise.race([work.then(() => true), over.promise]);
    } finally {
      timer.cancel();
    }
  }
}

function describeActivity(activity: string, unfinished: string): string {
  return `The ${activity} has not finished${unfinished ? `: ${unfinished}` : ''}.`;
}

function describeLookup({ failure, isLookedUp }: Orchestrator): string {
  if (failure)
    return `The API server could not be asked for its resources, which is tried again: ${errorText(failure)}`;
  return isLookedUp ? 'The existing objects are being listed.' : 'The API server is being asked for its resources.';
}
