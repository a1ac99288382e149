import { Injectable } from '@nestjs/common';
import type { WatchState } from '../client/watch/watch.reporter.js';
import { type Clock, Waiters } from 'kube-common';
import type { Leadership } from '../coordination/pausing/leadership.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { qualifiedName, type Resource } from '../resources/resources.js';
import { KopfSettings } from '../settings/kopf.settings.js';

/** The data that a review needs, and that this replica does not have now. */
export interface MissingData {
  /** What is missing, and why, in a sentence. */
  readonly reason: string;
  /** Resolves when the data may be there; absent if no change is expected soon. */
  readonly change?: Promise<unknown>;
}

/** The watch that fills indices. */
export interface IndexSourceOptions {
  readonly resource: Resource;
  /** The namespace; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /** The names of the indices that have entries for these objects. */
  readonly names: readonly string[];
  readonly leadership: Leadership;
  /** Whether the objects are watched for the indices while the operator pauses. */
  readonly isWatchedInPause: boolean;
}

/**
 * One watch that fills indices, with its state: whether the indices contain what the watch has shown, and since when the watch is
 * interrupted. It is filled when everything that was listed is indexed and changes are being watched. It stays so over short interruptions
 * of the watch.
 */
export class IndexSource {
  /** The objects that were listed and are not indexed yet. */
  private readonly pending = new Set<string>();
  private state: WatchState = 'idle';
  private isListed = false;
  private isFilled = false;
  /** The time since when changes are missed, by the monotonic clock; absent if the watch is running. */
  private lostAt?: number;
  /** Whether the events are used for the indices only, as the operator pauses. */
  private isOnStandby = false;

  constructor(
    readonly options: IndexSourceOptions,
    private readonly freshness: IndexFreshness,
    private readonly clock: Clock,
  ) {}

  /** Adds an object that was listed. */
  expect(key: string): void {
    this.pending.add(key);
  }

  /** Marks an object as indexed, also if its indexing has failed for good. */
  indexed(key: string): void {
    if (this.pending.delete(key)) this.check();
  }

  /** Marks the list as complete. */
  complete(): void {
    this.isListed = true;
    this.check();
  }

  /** Sets whether the events are used for the indices only from now on. */
  switch(isOnStandby: boolean): void {
    this.isOnStandby = isOnStandby;
  }

  /** Sets the state of the watch. */
  setState(state: WatchState): void {
    this.state = state;
    if (state === 'watching') {
      this.check();
      return;
    }
    this.lostAt ??= this.clock.monotonic();
    if (state === 'listing') {
      this.isListed = false;
      this.pending.clear();
    }
    if (state === 'paused' && !this.options.isWatchedInPause) this.isFilled = false;
    if (state === 'stopped') this.leave();
  }

  /** Removes the watch: no index needs it any more, or its resource has gone. */
  leave(): void {
    this.freshness.remove(this);
  }

  /** Explains why the indices are not reliable; `undefined` if they are. */
  findMissing(): MissingData | undefined {
    const { leadership } = this.options;
    if (!this.isOnStandby && !leadership.isValid && this.state !== 'paused') {
      const { pending } = leadership;
      const change = this.freshness.nextChange();
      const reason = 'this replica of the operator is finding out whether it still leads';
      return { reason, change: pending ? Promise.race([pending, change]) : change };
    }
    const { lostAt, isFilled, state } = this;
    const limit = this.freshness.staleness;
    const lost = lostAt === undefined ? 0 : (this.clock.monotonic() - lostAt) / 1000;
    if (isFilled && lost <= limit) return undefined;
    const what = `${qualifiedName(this.options.resource)}${this.where}`;
    if (state === 'paused') return { reason: `${what} are not watched while this replica of the operator pauses` };
    const change = this.freshness.nextChange();
    if (state === 'forbidden') return { reason: `the operator is not permitted to watch ${what}`, change };
    if (!isFilled) return { reason: `${what} are still being listed`, change };
    return { reason: `the watch of ${what} has been interrupted for ${Math.round(lost)} seconds`, change };
  }

  private get where(): string {
    const { namespace } = this.options;
    return namespace === undefined ? '' : ` in namespace "${namespace}"`;
  }

  private check(): void {
    if (!this.isListed || this.state !== 'watching' || this.pending.size > 0) return;
    this.isFilled = true;
    this.lostAt = undefined;
    this.freshness.changed();
  }
}

/** The freshness of the indices, as far as the watches show it: reviews must not be answered by outdated indices. */
@Injectable()
export class IndexFreshness {
  private readonly sources = new Set<IndexSource>();
  private readonly waiters = new Waiters();
  private isStarted = false;

  constructor(
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Seconds for which the watch of an index may be interrupted. */
  get staleness(): number {
    return this.settings.admission.indexStaleness;
  }

  /** Whether it is known which watches there are; their objects need not be listed yet. */
  get isKnown(): boolean {
    return this.isStarted;
  }

  /** Adds a watch that fills indices. */
  add(options: IndexSourceOptions): IndexSource {
    const source = new IndexSource(options, this, this.clock);
    this.sources.add(source);
    return source;
  }

  remove(source: IndexSource): void {
    if (this.sources.delete(source)) this.changed();
  }

  /** Marks the watches as known: from now on, indices without a watch have no objects. */
  start(): void {
    this.isStarted = true;
    this.changed();
  }

  /** Wakes up reviews that wait for fresher indices. */
  changed(): void {
    this.waiters.release();
  }

  /** Resolves at the next change. */
  nextChange(): Promise<void> {
    return this.waiters.join();
  }

  /** Explains why an index is not reliable; `undefined` if it is. */
  findMissing(name: string): MissingData | undefined {
    if (!this.isStarted) return { reason: NOT_STARTED, change: this.waiters.join() };
    for (const source of this.sources) {
      if (!source.options.names.includes(name)) continue;
      const missing = source.findMissing();
      if (missing) return missing;
    }
    return undefined;
  }

  /** Resolves when it is known which watches there are. */
  async known(): Promise<void> {
    while (!this.isStarted) await this.waiters.join();
  }

  /** Explains why indices are not reliable; empty if all of them are. */
  findAllMissing(): readonly string[] {
    if (!this.isStarted) return [NOT_STARTED];
    return [...new Set([...this.sources].flatMap((source) => source.findMissing()?.reason ?? []))];
  }

  /** Forgets everything at the beginning of a session. */
  clear(): void {
    this.sources.clear();
    this.isStarted = false;
    this.changed();
  }
}

const NOT_STARTED = 'this replica of the operator has just started and does not know the resources of the cluster yet';
