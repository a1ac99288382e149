import { StopReason } from '../contexts/stop-flag.js';
import type { ContainerMessage } from '../contexts/log.interface.js';
import { type KopfLogger, withFields } from '../common/kopf.logger.js';
import { sleep } from 'kube-common';
import type { LogSink } from '../logs/log.query.js';
import { PodTailer } from '../logs/pod.tailer.js';
import type { LogHandler } from '../registry/handler.js';
import { BackgroundAttempt } from './background.attempt.js';
import { BackgroundRun, LEADERSHIP_POLLING } from './background.run.js';
import type { BackgroundTools } from './background.tools.js';
import type { ObjectBackground } from './object.background.js';

/** One call for a message of a log. */
class LogAttempt extends BackgroundAttempt {
  /** A message that cannot be handled must not hold up those that follow. */
  readonly errors = 'permanent';
  /** There are many messages. */
  readonly isTerse = true;

  constructor(
    readonly log: ContainerMessage,
    ...rest: ConstructorParameters<typeof BackgroundAttempt>
  ) {
    super(...rest);
  }
}

/**
 * The handler of one pod that is called for the messages in its logs, one after another.
 *
 * When the pod is deleted, it goes on until the containers have ended: their last words are wanted, too. Nothing waits for it.
 */
export class LogRun extends BackgroundRun<LogHandler> {
  private readonly sink: LogSink;
  private readonly controller = new AbortController();
  private readonly tailer: PodTailer;
  private readonly key: string;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    handler: LogHandler,
    owner: ObjectBackground,
    tools: BackgroundTools,
    objectLogger: KopfLogger,
    onExit: (run: BackgroundRun) => void,
  ) {
    super(handler, owner, tools, objectLogger, onExit);
    const { id, className } = handler;
    const logger = withFields(objectLogger, { handler: id, cause: 'log' }, className);
    this.sink = { logger, signal: this.controller.signal, handle: (message) => this.handle(message) };
    const { name = '', namespace, uid = '' } = owner.body.metadata;
    this.key = `${uid}/${id}`;
    const { resource } = owner.createCause();
    const pod = { resource, name, namespace, uid, isNew: owner.isNew && !handler.isSelectedByWatch };
    this.tailer = new PodTailer(pod, handler.log, tools.logs, this.sink, tools.logs.progressOf(this.key));
  }

  protected get isRoutine(): boolean {
    return true;
  }

  start(): void {
    this.tailer.update(this.owner.body);
  }

  override onEvent(): void {
    this.tailer.update(this.owner.body);
  }

  override stop(reason: StopReason): void {
    super.stop(reason);
    if (reason !== StopReason.RESOURCE_DELETED) this.controller.abort();
  }

  /** Its pod does not wait for it. */
  override get left(): number | undefined {
    return this.isDraining ? undefined : super.left;
  }

  override terminate(): void {
    if (!this.isDraining) super.terminate();
  }

  /** Handles a message as soon as those before it are handled. Never rejects. */
  private handle(message: ContainerMessage): Promise<boolean> {
    const turn = this.last.then(() => this.call(message));
    this.last = turn;
    return turn;
  }

  protected onTime(): void {}

  protected onStop(): void {
    // It never rejects.
    void this.tailer.settled().then(() => {
      const isWantedAgain = this.stopper.has(StopReason.OPERATOR_PAUSING);
      if (!isWantedAgain) this.tools.logs.forget(this.key);
      this.exit();
    });
  }

  private get isDraining(): boolean {
    return this.stopper.has(StopReason.RESOURCE_DELETED) && !this.controller.signal.aborted;
  }

  private async call(message: ContainerMessage): Promise<boolean> {
    const { signal, logger } = this.sink;
    const state = this.createState();
    try {
      while (!signal.aborted) {
        if (!this.isAllowed) {
          await sleep(this.tools.heap, LEADERSHIP_POLLING, signal);
          continue;
        }
        const attempt = this.createLogAttempt(message, state);
        const outcome = await this.execute(attempt);
        // Results of such handlers have no place to be stored at.
        const { result: _result, ...rest } = outcome;
        await this.conclude(attempt, rest);
        if (state.done) return true;
        await sleep(this.tools.heap, Math.min(...state.delays), signal);
      }
    } catch (error) {
      logger.error(`${this.handler.title} could not be called for a message.`, error);
      return true;
    }
    return false;
  }

  private createLogAttempt(message: ContainerMessage, state: LogAttempt['state']): LogAttempt {
    const { owner, tools, stopper } = this;
    const cause = owner.createAttemptCause(this.unsent);
    return new LogAttempt(message, state, cause, cause.logger, this.isRoutine, owner, tools, stopper);
  }
}
