import {
  WatchSource,
  type ListedMark,
  type WatchSourceEvent,
  type WatchSourceOptions,
} from '../../client/watch.source.js';
import type { KubeObject } from '../../interfaces/kube-object.interface.js';
import type { WatchState, WatchStatus } from '../../interfaces/watch-status.interface.js';
import type { PeeringSettings } from '../../settings/peering.settings.js';
import { errorText } from '../../utils/error-text.js';
import { Signal } from '../../utils/signal.js';
import type { Pauses } from '../pausing/pauses.js';
import { readPeers, type Peer } from './peer.js';
import type { PeeringClient, PeeringPlace } from './peering.client.js';
import type { PeeringStatus } from './peering.status.js';
import { judgePeers, keepAliveDelay, type PeeringVerdict } from './peering.verdict.js';

/** What a membership works with. */
export interface MembershipOptions {
  readonly place: PeeringPlace;
  readonly identity: string;
  /** Whether the operator pauses as long as the object does not exist. */
  readonly mandatory: boolean;
  readonly client: PeeringClient;
  readonly settings: PeeringSettings;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'fieldSelector' | 'onStatus'>;
  readonly pauses: Pauses;
  /** Told each time when the status changes. */
  readonly onStatus: () => void;
}

/** The longest time for one request, and that for the last one, in seconds. */
const REQUEST_TIMEOUT = 10;
const FAREWELL_TIMEOUT = 3;

/** States of a watch in which it is of no use soon. */
const HOPELESS: ReadonlySet<WatchState> = new Set(['forbidden', 'gone', 'backingOff', 'stopped']);

const ALONE: PeeringVerdict = { rank: 'first', blockers: [], dead: [] };

/** The operator's part in one peering object: it says there that it is alive, and pauses because of others in it. */
export class PeeringMembership {
  /** Resolves when it is known whether the operator can work, or when this cannot be found out for the time being. */
  readonly decided: Promise<void>;
  private decide: () => void;
  private readonly stopping = new AbortController();
  private readonly changed = new Signal();
  private running?: Promise<unknown>;
  private object?: KubeObject;
  private peers: readonly Peer[] = [];
  private verdict = ALONE;
  private watchState: WatchState = 'idle';
  private isListed = false;
  private isCleaning = false;
  private isLeft = false;
  private failures = 0;
  private touchAt = -Infinity;

  constructor(private readonly options: MembershipOptions) {
    this.decided = new Promise((resolve) => (this.decide = resolve));
  }

  get status(): PeeringStatus {
    const { object, peers, verdict } = this;
    const blockers = verdict.blockers.map(({ identity }) => identity);
    return { ...this.options.place, exists: object !== undefined, rank: verdict.rank, peers, blockers };
  }

  start(): void {
    if (this.options.mandatory) this.block('it is not known yet');
    this.running = Promise.all([this.keepAlive(this.stopping.signal), this.observe(this.stopping.signal)]);
  }

  /** Leaves the peering: others need not wait until this operator counts as dead. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.isLeft = true;
    const { client, place, identity, pauses, watching } = this.options;
    try {
      if (this.object) await client.remove(place, [identity], { retries: false, timeout: FAREWELL_TIMEOUT });
    } catch (error) {
      watching.logger.warn(`${this.title} could not be left: ${errorText(error)}`);
    }
    pauses.lift(this.title);
    this.decide();
  }

  /** Writes down that the operator is alive. Never rejects. */
  async touch(): Promise<void> {
    const { client, place, identity, settings, watching } = this.options;
    const { clock, random, logger } = watching;
    const { priority, lifetime, stealth } = settings;
    if (this.isLeft) return;
    try {
      const peer = { identity, priority, lifetime, lastSeen: clock.now() };
      const object = await client.touch(place, peer, { retries: false, timeout: this.timeout });
      this.failures = 0;
      this.touchAt = clock.monotonic() + keepAliveDelay(lifetime, random.next()) * 1000;
      if (!stealth) logger.debug(`Keep-alive in ${this.title}: ${object ? 'ok' : 'not found'}.`);
      this.review(object);
    } catch (error) {
      this.failures += 1;
      this.touchAt = clock.monotonic() + Math.min(2 ** (this.failures - 1), keepAliveDelay(lifetime, 0)) * 1000;
      const level = this.failures === 1 ? 'warn' : 'debug';
      logger[level](`The keep-alive could not be sent to ${this.title}, which is tried again: ${errorText(error)}`);
      this.decideIfHopeless();
    }
  }

  private get title(): string {
    const { resource, namespace, name } = this.options.place;
    return `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  }

  private get timeout(): number {
    return Math.max(1, Math.min(REQUEST_TIMEOUT, this.options.settings.lifetime / 4));
  }

  private async keepAlive(signal: AbortSignal): Promise<void> {
    const { clock } = this.options.watching;
    while (!signal.aborted) {
      const left = this.secondsLeft();
      if (left !== undefined && left <= 0) await this.touch();
      else await this.changed.wait(clock, left, signal);
    }
  }

  /**
   * Seconds until the operator is to be heard of, or until a blocker counts as dead; `undefined` if only news matter.
   * Whether the blocker is dead indeed is said by the answer to the keep-alive, as the watch can be late.
   */
  private secondsLeft(): number | undefined {
    if (!this.object && this.watchState === 'watching') return undefined;
    const { clock } = this.options.watching;
    const untilTouch = this.touchAt - clock.monotonic();
    const { reviewAt } = this.verdict;
    if (reviewAt === undefined || this.failures > 0) return untilTouch / 1000;
    return Math.min(untilTouch, Math.ceil(reviewAt - clock.now())) / 1000;
  }

  private async observe(signal: AbortSignal): Promise<void> {
    const { place, watching } = this.options;
    const { resource, namespace, name } = place;
    const source = new WatchSource({
      ...watching,
      resource,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onStatus: (status) => this.noteWatch(status),
    });
    await source.run((event) => this.take(event), signal);
  }

  private noteWatch({ state }: WatchStatus): void {
    this.watchState = state;
    this.decideIfHopeless();
  }

  private take(event: WatchSourceEvent | ListedMark): void {
    if (event === 'LISTED') {
      if (!this.isListed) this.review(undefined);
      this.isListed = false;
      return;
    }
    const { type, object } = event;
    if (type === null) this.isListed = true;
    if (type === 'DELETED') {
      if (object.metadata.uid === this.object?.metadata.uid) this.review(undefined);
      return;
    }
    const isNew = object.metadata.uid !== this.object?.metadata.uid;
    this.review(object);
    if (isNew && !this.peers.some(({ identity }) => identity === this.options.identity)) this.touchAt = -Infinity;
  }

  /** Decides anew by the newest state of the object. */
  private review(object: KubeObject | undefined): void {
    if (object && this.object && isOlder(object, this.object)) return;
    const { identity, settings, watching, onStatus } = this.options;
    const now = watching.clock.now();
    const before = this.verdict;
    this.object = object;
    this.peers = readPeers(object?.status, now);
    this.verdict = judgePeers(this.peers, { identity, priority: settings.priority }, now);
    this.report(before);
    this.enforce();
    void this.clean();
    this.decide();
    this.changed.raise();
    onStatus();
  }

  private enforce(): void {
    const { mandatory, pauses } = this.options;
    const { rank, blockers } = this.verdict;
    const names = blockers.map(({ identity }) => identity).join(', ');
    if (rank === 'outranked') this.block(`others have a higher priority: ${names}`);
    else if (rank === 'conflict') this.block(`others have the same priority: ${names}`);
    else if (mandatory && !this.object) this.block('it does not exist');
    else pauses.lift(this.title);
  }

  private block(reason: string): void {
    this.options.pauses.set(this.title, `${this.title}: ${reason}`);
  }

  private report(before: PeeringVerdict): void {
    const { logger } = this.options.watching;
    const { rank, blockers } = this.verdict;
    if (rank === before.rank && describe(blockers) === describe(before.blockers)) return;
    if (rank === 'outranked') logger.debug(`Operators of a higher priority are at work: ${describe(blockers)}.`);
    else if (rank === 'first') logger.debug('The operators because of which this one had to pause have gone.');
    else {
      logger.warn(
        `All operators of the same priority pause, this one too, until only one is left: ${describe(blockers)}.`,
      );
    }
  }

  /** Removes all dead peers at once. If this fails, it is tried again with the next change. */
  private async clean(): Promise<void> {
    const { client, place, watching } = this.options;
    const dead = this.verdict.dead.map(({ identity }) => identity);
    if (dead.length === 0 || this.isCleaning || this.stopping.signal.aborted) return;
    this.isCleaning = true;
    try {
      await client.remove(place, dead, { retries: false, timeout: this.timeout });
    } catch (error) {
      watching.logger.debug(`Dead operators could not be removed from ${this.title}: ${errorText(error)}`);
    } finally {
      this.isCleaning = false;
    }
  }

  private decideIfHopeless(): void {
    if (this.failures > 0 && HOPELESS.has(this.watchState)) this.decide();
  }
}

function describe(peers: readonly Peer[]): string {
  return peers.map(({ identity, priority }) => `${identity} (${priority})`).join(', ');
}

/** Answers to requests and events of the watch can overtake each other. */
function isOlder({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return one.uid === other.uid && Number(one.resourceVersion) < Number(other.resourceVersion);
}
