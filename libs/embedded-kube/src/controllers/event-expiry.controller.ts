import type { ClockTimer } from 'kube-common';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import type { KubeObject } from '../resources/kube-object.js';
import { ignoringGone } from './work.queue.js';

const EVENTS: ResourceId = { group: '', plural: 'events' };

/** A state of an event, and when it expires. */
interface Expiry {
  readonly due: number;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly resourceVersion: string | undefined;
}

/** The controller that removes events that were not written for a while, as the real server does after an hour. One timer serves all. */
export class EventExpiryController implements Controller {
  readonly name = 'event-expiry';
  private turns: EventLoopTurns;
  private queue: Expiry[] = [];
  private timer: ClockTimer | undefined;
  private context: ControllerContext;
  private unwatch: () => void = () => undefined;

  /** @param lifetime how long an event stays, in seconds */
  constructor(private readonly lifetime: number) {}

  start(context: ControllerContext): void {
    this.context = context;
    this.turns = new EventLoopTurns(context.clock);
    for (const event of context.client.list(EVENTS)) this.add(event);
    this.unwatch = context.client.watch(EVENTS, (change) => this.observe(change));
  }

  stop(): void {
    this.unwatch();
    this.timer?.cancel();
    this.queue = [];
  }

  private observe({ type, object }: ObjectEvent): void {
    if (type !== 'DELETED') this.add(object);
  }

  private add({ metadata: { namespace, name = '', resourceVersion } }: KubeObject): void {
    const due = this.context.clock.now() + this.lifetime * 1000;
    this.queue.push({ due, namespace, name, resourceVersion });
    if (!this.timer) this.schedule(due);
  }

  private schedule(due: number): void {
    const delay = Math.max(0, due - this.context.clock.now());
    this.timer = this.context.clock.setTimer(() => {
      this.expire().catch((error: unknown) => this.context.logger.error(`Cannot remove events: ${String(error)}`));
    }, delay);
  }

  private async expire(): Promise<void> {
    const now = this.context.clock.now();
    const left = this.queue.findIndex(({ due }) => due > now);
    const expired = this.queue.splice(0, left < 0 ? this.queue.length : left);
    this.timer = undefined;
    if (this.queue.length > 0) this.schedule(this.queue[0]!.due);
    for (const { namespace, name, resourceVersion } of expired) {
      // A newer state of the event is queued separately.
      await ignoringGone(this.context.client.delete(EVENTS, namespace, name, { preconditions: { resourceVersion } }));
      const pause = this.turns.step();
      if (pause) await pause;
    }
  }
}
