import { type Clock, type ClockTimer, detach } from 'kube-common';
import { type Backoff, backoffDelay } from '../common/backoff.js';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { Logger } from '../common/logger.js';
import type { KubeObject } from '../resources/kube-object.js';

/** The pauses before retries, in milliseconds. */
const RETRIES: Backoff = { first: 20, longest: 30_000 };

/** The dependencies of a queue. */
export interface WorkQueueContext {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A queue of keys that are worked on one after the other: a key that is added while it waits is worked on once, one that fails is tried
 * again later. An idle queue holds no timer.
 */
export class WorkQueue {
  private readonly waiting = new Set<string>();
  private readonly delayed = new Map<string, { readonly due: number; readonly timer: ClockTimer }>();
  private readonly failures = new Map<string, number>();
  private readonly turns: EventLoopTurns;
  private running: Promise<void> | undefined;
  private stopped = false;

  /**
   * @param name for messages
   * @param process works on one key; a rejection is logged and tried again, a conflict without a message
   */
  constructor(
    private readonly name: string,
    private readonly process: (key: string) => Promise<void>,
    private readonly context: WorkQueueContext,
  ) {
    this.turns = new EventLoopTurns(context.clock);
  }

  /** Queues a key to be worked on soon, but not synchronously. */
  add(key: string): void {
    if (this.stopped) return;
    this.cancel(key);
    this.waiting.add(key);
    this.running ??= detach(() => this.drain());
  }

  /** Queues a key to be worked on after a time in milliseconds, or earlier if it is queued again. */
  addAfter(key: string, milliseconds: number): void {
    if (this.stopped || this.waiting.has(key)) return;
    const due = this.context.clock.monotonic() + milliseconds;
    const earlier = this.delayed.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.timer.cancel();
    const timer = this.context.clock.setTimer(() => this.add(key), milliseconds);
    this.delayed.set(key, { due, timer });
  }

  /** Takes no more keys and resolves once the current one is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting.clear();
    for (const { timer } of this.delayed.values()) timer.cancel();
    this.delayed.clear();
    await this.running;
  }

  private async drain(): Promise<void> {
    // Changes that belong together arrive together; and a listener must not be answered with a write.
    await Promise.resolve();
    for (const key of this.waiting) {
      this.waiting.delete(key);
      try {
        await this.process(key);
        this.failures.delete(key);
      } catch (error) {
        this.retry(key, error);
      }
      // Keys that add each other without an end must not hold up the process.
      const pause = this.turns.step();
      if (pause) await pause;
    }
    this.running = undefined;
  }

  private retry(key: string, error: unknown): void {
    if (this.stopped) return;
    const failures = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failures);
    if (!isConflict(error)) this.context.logger.warn(`${this.name}: ${key}: ${String(error)}`);
    this.addAfter(key, backoffDelay(RETRIES, failures));
  }

  private cancel(key: string): void {
    this.delayed.get(key)?.timer.cancel();
    this.delayed.delete(key);
  }
}

/** Checks whether a write met a newer version of the object. */
function isConflict(error: unknown): boolean {
  return codeOf(error) === 409;
}

/** Checks whether a write met no object. */
function isNotFound(error: unknown): boolean {
  return codeOf(error) === 404;
}

/** Ignores that an object is gone or was replaced: the change that did it is reported to the controller, too. */
export async function ignoringGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Returns the key of an object in its resource, for queues. */
export function objectKey({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Returns the namespace, undefined for none, and the name of a key. */
export function splitKey(key: string): [namespace: string | undefined, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash) || undefined, key.slice(slash + 1)];
}
