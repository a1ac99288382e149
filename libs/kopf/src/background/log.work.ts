import { StopReason } from '../contexts/stop-flag.js';
import type { ContainerMessage } from '../contexts/log.interface.js';
import { sleep } from 'kube-common';
import type { LogSink } from '../logs/log.query.js';
import { PodTailer } from '../logs/pod.tailer.js';
import type { LogHandler } from '../registry/handler.js';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { type HandlerCalls, LEADERSHIP_POLLING } from './handler.calls.js';

/**
 * The work of a log handler for one pod: the handler is called for the messages in the pod's logs, one after another.
 *
 * When the pod is deleted, the work continues until its containers have ended, so that their last lines are handled; the deletion does not
 * wait for it.
 */
export class LogWork implements BackgroundWork {
  private readonly sink: LogSink;
  private readonly controller = new AbortController();
  private readonly tailer: PodTailer;
  private readonly key: string;
  private last: Promise<unknown> = Promise.resolve();
  private isEnding = false;

  constructor(
    private readonly run: WorkControl,
    private readonly calls: HandlerCalls<LogHandler>,
  ) {
    const { handler, owner, tools, logger } = calls;
    this.sink = { logger, signal: this.controller.signal, handle: (message) => this.handle(message) };
    const { name = '', namespace, uid = '' } = owner.body.metadata;
    this.key = `${uid}/${handler.id}`;
    const { resource } = owner.createCause();
    const pod = { resource, name, namespace, uid, isNew: owner.isNew && !handler.isSelectedByWatch };
    this.tailer = new PodTailer(pod, handler.log, tools.logs, this.sink, tools.logs.progressOf(this.key));
  }

  start(): void {
    this.tailer.update(this.calls.owner.body);
  }

  onEvent(): void {
    this.tailer.update(this.calls.owner.body);
  }

  onTime(): void {}

  onStop(reason: StopReason): void {
    if (!this.isEnding) void this.end();
    if (reason !== StopReason.RESOURCE_DELETED) this.controller.abort();
  }

  get isDraining(): boolean {
    return this.run.stopper.has(StopReason.RESOURCE_DELETED) && !this.controller.signal.aborted;
  }

  /** Exits after the last message was handled. Never rejects. */
  private async end(): Promise<void> {
    this.isEnding = true;
    await this.tailer.settled();
    const isWantedAgain = this.run.stopper.has(StopReason.OPERATOR_PAUSING);
    if (!isWantedAgain) this.calls.tools.logs.forget(this.key);
    this.run.exit();
  }

  /** Handles a message after all earlier ones. Never rejects. */
  private handle(message: ContainerMessage): Promise<boolean> {
    const turn = this.last.then(() => this.call(message));
    this.last = turn;
    return turn;
  }

  private async call(message: ContainerMessage): Promise<boolean> {
    const { calls } = this;
    const { signal, logger } = this.sink;
    const state = calls.createState();
    try {
      while (!signal.aborted) {
        if (!calls.isAllowed) {
          await sleep(calls.tools.heap, LEADERSHIP_POLLING, signal);
          continue;
        }
        const attempt = calls.prepare(state, message);
        const outcome = await calls.execute(attempt);
        // There is no place to store the results of log handlers.
        const { result: _result, ...rest } = outcome;
        await calls.conclude(attempt, rest);
        if (state.done) return true;
        await sleep(calls.tools.heap, Math.min(...state.delays), signal);
      }
    } catch (error) {
      logger.error(`${calls.handler.title} could not be called for a message.`, error);
      return true;
    }
    return false;
  }
}
