import type { ContainerMessage } from '../contexts/log.interface.js';
import { StopReason } from '../contexts/stop-flag.js';
import type { SingleExecution } from '../execution/handler.executor.js';
import type { Invocation } from '../contexts/invocation.js';
import type { InvocationScope } from '../execution/invocation.scope.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { BackgroundHandler } from '../registry/handler.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { BackgroundTools } from './background.tools.js';
import type { DaemonStopper } from './daemon.stopper.js';
import type { ObjectBackground } from './object.background.js';

/** The scope that all attempts of one handler for one object share. */
export interface AttemptScope {
  readonly handler: BackgroundHandler;
  readonly owner: ObjectBackground;
  readonly tools: BackgroundTools;
  /** The flag and the signal that ask the handler to stop. */
  readonly stopper: DaemonStopper;
}

/**
 * One call of a daemon or a timer, and the scope of the call.
 *
 * Each daemon holds one all the time, so it is kept small: it has no closures, and no reference to a state of the object.
 */
export class BackgroundAttempt implements SingleExecution<BackgroundHandler>, InvocationScope {
  constructor(
    readonly state: ProgressState,
    readonly cause: SpawningCause,
    readonly logger: KopfLogger,
    private readonly scope: AttemptScope,
    /** The message that a log handler is called for; absent for all other handlers. */
    readonly log?: ContainerMessage,
  ) {}

  /** A message that cannot be handled must not hold up the messages after it, so its error is permanent. */
  get errors(): 'permanent' | undefined {
    return this.log && 'permanent';
  }

  /** A log handler is called for each of many messages, so its calls are not logged one by one. */
  get isTerse(): boolean {
    return this.log !== undefined;
  }

  /** Whether the handler is expected to run as long as its object exists, as a daemon is. */
  get isEndless(): boolean {
    return this.scope.handler.kind === 'daemon';
  }

  get stopped(): DaemonStopper {
    return this.scope.stopper;
  }

  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  get monitor() {
    return this.scope.tools.monitor;
  }

  get body() {
    return this.scope.owner.body;
  }

  get events() {
    return this.scope.tools.events;
  }

  /** The live views of the object. */
  get live() {
    return this.scope.owner.live;
  }

  call(handler: BackgroundHandler, invocation: Invocation): unknown {
    try {
      const result = this.scope.tools.invoker.invokeBackground(handler, this.cause, invocation, this, this);
      return result instanceof Promise ? result.catch((error: unknown) => this.ignoreAbort(error)) : result;
    } catch (error) {
      return this.ignoreAbort(error);
    }
  }

  /**
   * Ignores the rejection of whatever the handler has passed the signal to, once the daemon was cancelled: the daemon ends as requested.
   */
  private ignoreAbort(error: unknown): void {
    if (this.stopped.has(StopReason.DAEMON_CANCELLED) && (error as Error | null)?.name === 'AbortError') return;
    throw error;
  }
}
