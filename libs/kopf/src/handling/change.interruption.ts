import { LinkedSignal } from '../common/linked.signal.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { TemporaryError } from '../execution/handler.errors.js';
import type { Interruption } from '../execution/interruption.js';
import type { Essence } from '../objects/essences.js';
import { isOlderVersion, type KubeObject, type WatchEvent } from '../objects/kube-object.js';
import { resolveField } from '../objects/field-path.js';
import { deepEqual } from 'kube-common';
import type { ChangingHandler } from '../registry/handler.js';
import type { PersistenceSettings } from '../settings/handling.settings.js';
import { isDeletionOngoing } from '../state/finalizers.js';
import { presentEssence } from '../state/storages.js';
import { LeftSelectorEvent } from '../watching/left-selector.event.js';
import type { EventCycle } from './event.cycle.js';

/**
 * The interruption of a running handler: its signal is aborted when the object is to be deleted, or has changed, as the option `abortOn`
 * says. It is detected by the events that wait behind the one that is being handled. Changes by the operator, in patches of daemons and
 * timers, do not count.
 */
export class ChangeInterruption implements Interruption {
  private readonly linked: LinkedSignal;
  private readonly unfollow: () => void;
  /** The states that the handler has seen, and those that result from the operator's own patches. */
  private readonly known: Essence[];
  private reason?: TemporaryError;

  constructor(
    private readonly handler: ChangingHandler,
    private readonly cycle: EventCycle,
    private readonly cause: ChangingCause,
    private readonly persistence: PersistenceSettings,
    source: AbortSignal,
  ) {
    this.linked = new LinkedSignal(source);
    this.known = [this.essenceOf(cycle.body)];
    const { background } = cycle.memory;
    if (background) background.ownPatches = [];
    this.unfollow = cycle.slot.follow((event) => this.take(event));
  }

  get signal(): AbortSignal {
    return this.linked.signal;
  }

  /**
   * Replaces an error that only says that the signal was aborted by the reason of the abort, for which the handler is called again at once.
   */
  explain(error: unknown): unknown {
    const isOfSignal = error instanceof Error && error.name === 'AbortError';
    return this.reason && isOfSignal ? this.reason : error;
  }

  end(): void {
    this.unfollow();
    this.linked.release();
    const { background } = this.cycle.memory;
    if (background) background.ownPatches = undefined;
  }

  private take(event: WatchEvent): void {
    if (event.type === 'DELETED') return this.abort('The object has gone.');
    if (event instanceof LeftSelectorEvent) return this.abort('The object is not selected any more.');
    const { object } = event;
    const { body, memory } = this.cycle;
    if (!isOlderVersion(body.metadata.resourceVersion, object.metadata.resourceVersion ?? '')) return undefined;
    if (isDeletionOngoing(object) && !isDeletionOngoing(body)) return this.abort('The object is being deleted.');
    if (this.handler.abortOn !== 'change') return undefined;
    const sending = memory.background?.sending;
    if (!sending) return this.compare(object);
    // The event may belong to an own patch whose response has not arrived yet.
    const compare = (): void => this.compare(object);
    void sending.then(compare, compare);
    return undefined;
  }

  private compare(object: KubeObject): void {
    const essence = this.essenceOf(object);
    const own = this.cycle.memory.background?.ownPatches?.splice(0) ?? [];
    this.known.push(...own.map((body) => this.essenceOf(body)));
    if (!this.known.some((each) => deepEqual(each, essence))) this.abort('The object has changed.');
  }

  private essenceOf(body: KubeObject): Essence {
    const essence = presentEssence(body, this.cycle.handlers.extraFields, this.persistence);
    const { field } = this.handler;
    return field ? { field: resolveField(essence, field) } : essence;
  }

  private abort(message: string): void {
    if (this.reason) return;
    this.reason = new TemporaryError(message, { delay: 0 });
    this.cause.logger.debug(() => `${this.handler.title} is asked to end: ${message}`);
    this.linked.abort(this.reason);
  }
}
