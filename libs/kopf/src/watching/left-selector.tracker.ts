import type { SelectorStatus, UnfilteredReader } from '../client/api/object.reader.js';
import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import { backoffDelay } from '../common/backoff.js';
import { type Clock, errorText, Signal, sleep } from 'kube-common';
import type { KubeObject, ObjectMeta, WatchEvent } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { isDeletionBlocked } from '../state/finalizers.js';
import { LinkedSignal } from '../common/linked.signal.js';
import { LeftSelectorEvent } from './left-selector.event.js';
import { objectKey } from './object.queues.js';
import { SupersededVersions } from './superseded.versions.js';

/** The dependencies of the tracker. */
export interface LeftSelectorTrackerOptions {
  readonly client: UnfilteredReader;
  /** The watched namespace; absent if all namespaces are watched. */
  readonly namespace: string | undefined;
  readonly finalizer: string;
  readonly formerFinalizers: readonly string[];
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** An object that may have left the selector. */
interface TrackedObject {
  readonly object: KubeObject;
  /** The event by which the API server reported it as deleted; absent if a sweep has found it. */
  readonly deletion?: KubeWatchEvent;
  /** The events of the object that came afterwards. */
  readonly later: KubeWatchEvent[];
  readonly changed: Signal;
  leftEvent?: LeftSelectorEvent;
  /** Whether the object matches the selector again, so that its next event is left to the watch. */
  isSelected?: boolean;
}

/** Seconds before the object is read again; the last delay repeats. */
const RETRY_DELAYS = [0.1, 1, 5, 15, 60];

/**
 * The tracker of objects that have left the selector of a watch. The API server reports them as deleted, as it does objects that are gone.
 *
 * All events of the watch pass through here in their order. A deleted object is read, and is passed on either as deleted, or as a {@link
 * LeftSelectorEvent} that is repeated until nothing is left to do for the object; events of other objects are passed on at once. Older
 * events of a released object are dropped: the operator has forgotten it and would take it for a new one.
 */
export class LeftSelectorTracker {
  private readonly tracked = new Map<string, TrackedObject>();
  private readonly superseded = new SupersededVersions();
  private readonly stopping = new AbortController();

  constructor(
    private readonly options: LeftSelectorTrackerOptions,
    private readonly emit: (event: WatchEvent) => void,
  ) {}

  /** The number of objects that may have left the selector, and are not released yet. */
  get size(): number {
    return [...this.tracked.values()].filter(({ isSelected }) => !isSelected).length;
  }

  take(event: KubeWatchEvent): void {
    if (this.superseded.covers(event.object)) return;
    const open = this.tracked.get(objectKey(event.object));
    if (open) {
      open.later.push(event);
      open.leftEvent?.outdate();
      open.changed.raise();
    } else if (event.type === 'DELETED') this.open(event.object, event);
    else this.emit(event);
  }

  /**
   * Finds objects that left the selector while they were not watched, and still have the finalizer. Never rejects.
   *
   * @param isKnown whether an object matches the selector.
   */
  async sweep(isKnown: (metadata: ObjectMeta) => boolean, signal: AbortSignal): Promise<void> {
    const ending = new LinkedSignal(signal, this.stopping.signal);
    await this.attemptSweep(isKnown, ending.signal);
    ending.release();
  }

  /** Stops permanently. */
  stop(): void {
    this.stopping.abort();
    for (const { leftEvent } of this.tracked.values()) leftEvent?.settle(false);
  }

  /** Stops permanently after the watched resource or namespace is gone, with all its objects: passes on the pending events. */
  abandon(): void {
    const open = [...this.tracked.values()];
    this.stop();
    this.tracked.clear();
    for (const { deletion, later } of open)
      for (const event of deletion ? [deletion, ...later] : later) this.emit(event);
  }

  private async attemptSweep(isKnown: (metadata: ObjectMeta) => boolean, ending: AbortSignal): Promise<void> {
    const { client, namespace, finalizer, formerFinalizers, clock } = this.options;
    for (let failures = 1; !ending.aborted; failures++) {
      try {
        for await (const object of client.listAll(namespace, ending)) {
          if (!isDeletionBlocked(object, finalizer, formerFinalizers) || isKnown(object.metadata)) continue;
          if (!this.tracked.has(objectKey(object))) this.open(object);
        }
        return;
      } catch (error) {
        if (ending.aborted) return;
        this.report('Objects that are not selected any more cannot be looked for', failures, error);
        await sleep(clock, backoffDelay(RETRY_DELAYS, failures), ending);
      }
    }
  }

  private open(object: KubeObject, deletion?: KubeWatchEvent): void {
    const tracked: TrackedObject = { object, deletion, later: [], changed: new Signal() };
    this.tracked.set(objectKey(object), tracked);
    void this.track(tracked, this.stopping.signal);
  }

  private async track(tracked: TrackedObject, signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    for (let rounds = 1; ; rounds++) {
      const status = await this.fetchStatus(tracked.object, signal);
      if (signal.aborted || status === undefined) return;
      if (status.fate === 'gone') {
        const deletion = tracked.deletion ?? tracked.later.find(({ type }) => type === 'DELETED');
        if (deletion) this.emit(deletion);
        this.superseded.add(tracked.object, status.version);
        break;
      }
      tracked.isSelected = status.fate === 'selected';
      // The watch reports an object that matches again. The object is read again nevertheless: if it matches only for a short time, the
      // watch may report nothing.
      if (status.fate === 'left' && (await this.announceLeft(tracked, status.object))) {
        this.superseded.add(tracked.object, status.object.metadata.resourceVersion);
        break;
      }
      if (signal.aborted) return;
      if (tracked.later.length > 0) break;
      await tracked.changed.wait(clock, backoffDelay(RETRY_DELAYS, rounds), signal);
    }
    this.tracked.delete(objectKey(tracked.object));
    for (const event of tracked.later) this.take(event);
  }

  /** Passes on the event that releases the object. @returns whether nothing is left to do for the object. */
  private announceLeft(tracked: TrackedObject, object: KubeObject): Promise<boolean> {
    tracked.leftEvent = new LeftSelectorEvent(object);
    this.emit(tracked.leftEvent);
    return tracked.leftEvent.settled;
  }

  private async fetchStatus(object: KubeObject, signal: AbortSignal): Promise<SelectorStatus | undefined> {
    const { client, clock } = this.options;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await client.fetchStatus(object, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        const { kind, metadata } = object;
        const title = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
        this.report(`It is not known whether ${title} is deleted or not selected any more`, failures, error);
        await sleep(clock, backoffDelay(RETRY_DELAYS, failures), signal);
      }
    }
    return undefined;
  }

  private report(what: string, failures: number, error: unknown): void {
    this.options.logger[failures === 1 ? 'warn' : 'debug'](`${what}, which is tried again: ${errorText(error)}`);
  }
}
