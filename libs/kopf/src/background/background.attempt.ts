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

/** What all attempts of one handler for one object have in common. */
export interface AttemptScope {
  readonly handler: BackgroundHandler;
  readonly owner: ObjectBackground;
  readonly tools: BackgroundTools;
  /** The flag and the signal by which the handler is asked to stop. */
  readonly stopper: DaemonStopper;
}

/**
 * One call of a daemon or a timer, and the scope that it is called in.
 *
 * There is one for each daemon, all the time, so it has no functions and no states of its own, and does not hold what the object was.
 */
export class BackgroundAttempt implements SingleExecution<BackgroundHandler>, InvocationScope {
  constructor(
    readonly state: ProgressState,
    readonly cause: SpawningCause,
    readonly logger: KopfLogger,
    private readonly scope: AttemptScope,
    /** The message that a handler of logs is called for; absent for all others. */
    readonly log?: ContainerMessage,
  ) {}

  /** A message that cannot be handled must not hold up the messages after it. */
  get errors(): 'permanent' | undefined {
    return this.log && 'permanent';
  }

  /** Handlers of logs are called for many messages, which would have as many log lines. */
  get isTerse(): boolean {
    return this.log !== undefined;
  }

  /** Whether the call has no end by itself, as a daemon's. */
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

  /** The views that follow the object. */
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

  /** Whatever takes the signal rejects when it is aborted: the daemon does as it was asked. */
  private ignoreAbort(error: unknown): void {
    if (this.stopped.has(StopReason.DAEMON_CANCELLED) && (error as Error | null)?.name === 'AbortError') return;
    throw error;
  }
}
