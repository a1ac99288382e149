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

/** Configures the tracker. */
export interface LeftSelectorTrackerOptions {
  readonly client: UnfilteredReader;
  /** The namespace that is watched; all of them if absent. */
  readonly namespace: string | undefined;
  readonly finalizer: string;
  readonly formerFinalizers: readonly string[];
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** An object that may have left the selection. */
interface TrackedObject {
  readonly object: KubeObject;
  /** The event because of which it is asked; absent if there was none. */
  readonly deletion?: KubeWatchEvent;
  /** Holds the events that came after it. */
  readonly later: KubeWatchEvent[];
  readonly changed: Signal;
  leftEvent?: LeftSelectorEvent;
  /** Is true while it is selected again, so that nothing is to be done but to wait for the watch. */
  isSelected?: boolean;
}

/** Seconds until the next attempt; the last one repeats. */
const RETRY_DELAYS = [0.1, 1, 5, 15, 60];

/**
 * Tells objects that have left the selector of a watch from those that are deleted: the API server reports both as deleted.
 *
 * All events of the watch go through here in their order. Those of other objects pass at once; an object that is reported as
 * deleted is read, and is passed on either as deleted, or as a {@link LeftSelectorEvent}, again until nothing is left to do for
 * it. It is forgotten then, so that no older events of it are passed on: it would be taken for one that was not seen before.
 */
export class LeftSelectorTracker {
  private readonly tracked = new Map<string, TrackedObject>();
  private readonly superseded = new SupersededVersions();
  private readonly stopping = new AbortController();

  constructor(
    private readonly options: LeftSelectorTrackerOptions,
    private readonly emit: (event: WatchEvent) => void,
  ) {}

  /** Counts the objects that may have left the selector, and are not released yet. */
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
   * Looks for objects that have left the selection while nobody watched, but are still held by the finalizer. Never rejects.
   *
   * @param isKnown whether the object is among those that are selected.
   */
  async sweep(isKnown: (metadata: ObjectMeta) => boolean, signal: AbortSignal): Promise<void> {
    const ending = new LinkedSignal(signal, this.stopping.signal);
    await this.attemptSweep(isKnown, ending.signal);
    ending.release();
  }

  /** Stops for good. */
  stop(): void {
    this.stopping.abort();
    for (const { leftEvent } of this.tracked.values()) leftEvent?.settle(false);
  }

  /** Stops for good, as what was watched has gone, and all its objects with it. */
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
      // One that is selected again is about to come back; unless this is missed, and it leaves or goes before the next list.
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

  /** Has the object released; resolves to whether nothing is left to do for it. */
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
