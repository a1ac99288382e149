import { WatchSource } from '../../client/watch/watch.source.js';
import type { ListedMark, KubeWatchEvent } from '../../client/watch/watch.event.js';
import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { selectName } from '../../resources/object.names.js';
import { hasSelectors } from '../../resources/selectors-by-resource.js';
import type { WatchState, WatchStatus } from '../../client/watch/watch.reporter.js';
import { ApiConflictError } from '../../client/api/api.errors.js';
import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import type { PeeringSettings } from '../../settings/coordination.settings.js';
import { Deferred, errorText, Signal } from 'kube-common';
import { backoffDelay } from '../../common/backoff.js';
import type { Pauses } from '../pausing/pauses.js';
import {
  deadlineOf,
  ALONE,
  reportEvaluation,
  readPeers,
  type Peer,
  type PeeringStatus,
  hasExpiredBlocker,
  evaluatePeers,
  keepAliveDelay,
} from './peers.js';
import { PeerObservation } from './peer.observation.js';
import { OwnRecord, type Expiry } from './own.record.js';
import { isOlder, type PeeringClient, type PeeringPlace } from './peering.client.js';
import type { PeeringLeadership } from './peering.leadership.js';

/** The dependencies of a membership. */
export interface MembershipOptions {
  readonly place: PeeringPlace;
  readonly identity: string;
  /** Whether the operator pauses as long as the peering object does not exist. */
  readonly mandatory: boolean;
  readonly client: PeeringClient;
  readonly settings: PeeringSettings;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'fieldSelector' | 'onStatus'>;
  readonly pauses: Pauses;
  readonly peeringLeadership: PeeringLeadership;
  readonly monitor: BlockageMonitor;
  /** Called when the status has changed. */
  readonly onStatus: () => void;
}

/** The longest time for one request, and for the request that removes the record, in seconds. */
const REQUEST_TIMEOUT = 10;
const RELEASE_TIMEOUT = 3;
/** The delay in milliseconds above which a late keep-alive is attributed to a blocked event loop. */
const LATENESS = 1000;

/** The states of a watch that will not show changes soon. */
const DISCONNECTED_STATES: ReadonlySet<WatchState> = new Set(['forbidden', 'gone', 'backingOff', 'stopped']);

/** The membership of the operator in one peering object: it writes keep-alives, and makes the operator pause for other members. */
export class PeeringMembership {
  private readonly decision = new Deferred();
  private readonly stopping = new AbortController();
  private readonly changed = new Signal();
  private running?: Promise<unknown>;
  private object?: KubeObject;
  private peers: readonly Peer[] = [];
  private readonly observation = new PeerObservation();
  private evaluation = ALONE;
  private watchState: WatchState = 'idle';
  private isListed = false;
  private isCleaning = false;
  private isLeft = false;
  private failures = 0;
  private touchAt = -Infinity;
  private readonly record: OwnRecord;

  constructor(private readonly options: MembershipOptions) {
    const { settings, peeringLeadership, monitor, watching } = options;
    const { lifetime } = settings;
    const onExpired = (): Expiry => this.onExpired();
    this.record = new OwnRecord({ ...watching, title: this.title, lifetime, peeringLeadership, monitor, onExpired });
  }

  /** Resolves when the peering object has shown whether the operator works or pauses, or when it cannot be read for the time being. */
  get decided(): Promise<void> {
    return this.decision.promise;
  }

  get status(): PeeringStatus {
    const { object, peers, evaluation } = this;
    const blockers = evaluation.blockers.map(({ identity }) => identity);
    return { ...this.options.place, exists: object !== undefined, rank: evaluation.rank, peers, blockers };
  }

  start(): void {
    if (this.options.mandatory) this.block('it is not known yet');
    this.running = Promise.all([this.keepAlive(this.stopping.signal), this.observe(this.stopping.signal)]);
  }

  /** Leaves the peering, so that other operators need not wait until this one expires. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.isLeft = true;
    const { client, place, identity, pauses, watching } = this.options;
    try {
      if (this.object) await client.remove(place, [identity], { retries: false, timeout: RELEASE_TIMEOUT });
    } catch (error) {
      watching.logger.warn(`${this.title} could not be left: ${errorText(error)}`);
    }
    this.record.forget();
    pauses.lift(this.title);
    this.decision.resolve();
  }

  /** Writes a keep-alive. Never rejects. */
  async touch(): Promise<void> {
    const { client, place, identity, settings, watching } = this.options;
    const { clock, random, logger } = watching;
    const { priority, lifetime, stealth } = settings;
    if (this.isLeft) return;
    // Notices an expiry now, so that the proof is the version that is known before this keep-alive.
    this.options.peeringLeadership.verify();
    const { provenVersion: version, isExpired: wasExpired } = this.record;
    try {
      const began = { monotonic: clock.monotonic(), now: clock.now() };
      this.touchAt = began.monotonic + this.timeout * 1000;
      const peer = { identity, priority, lifetime, lastSeen: began.now };
      const object = await client.touch(place, peer, { retries: false, timeout: this.timeout }, version);
      this.failures = 0;
      this.touchAt = clock.monotonic() + keepAliveDelay(lifetime, random.next()) * 1000;
      if (!stealth) logger.debug(`Keep-alive in ${this.title}: ${object ? 'ok' : 'not found'}.`);
      if (wasExpired && version === undefined) this.lose(object);
      if (object) this.record.renew(began);
      if (this.record.isExpired) this.touchAt = -Infinity;
      this.review(object, true);
    } catch (error) {
      if (version !== undefined && error instanceof ApiConflictError) {
        this.record.markAsOverwritten();
        this.touchAt = -Infinity;
        return;
      }
      this.failures += 1;
      const delay = backoffDelay({ first: 1, longest: keepAliveDelay(lifetime, 0) }, this.failures);
      this.touchAt = clock.monotonic() + delay * 1000;
      const level = this.failures === 1 ? 'warn' : 'debug';
      logger[level](`The keep-alive could not be sent to ${this.title}, which is tried again: ${errorText(error)}`);
      if (this.record.isExpired) this.enforce();
      this.decideIfDisconnected();
    }
  }

  /** Called when the own record has expired: it is written at once. */
  private onExpired(): Expiry {
    const late = this.options.watching.clock.monotonic() - this.touchAt;
    this.touchAt = -Infinity;
    this.changed.raise();
    const wasBlocked = this.failures === 0 && late > LATENESS && late < Infinity;
    return { version: this.object?.metadata.resourceVersion, wasBlocked };
  }

  /** Ends the leadership term, as other operators may have worked while this one had expired for them. */
  private lose(object: KubeObject | undefined): void {
    const { identity, watching } = this.options;
    const now = watching.clock.now();
    const peers = this.observation.localize(readPeers(object?.status, now), now, watching.clock.monotonic());
    this.record.lose(peers.some((peer) => peer.identity !== identity && deadlineOf(peer) > now));
    this.block('others may have worked meanwhile');
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
      const { secondsUntilReturn } = this.record;
      if (left !== undefined && left <= 0) await this.touch();
      else
        await this.changed.wait(clock, secondsUntilReturn > 0 ? Math.min(left ?? 1, secondsUntilReturn) : left, signal);
      if (secondsUntilReturn > 0) this.enforce();
    }
  }

  /**
   * Computes the seconds until the next keep-alive, or until a blocker expires; `undefined` if only changes of the object matter. The
   * response to a keep-alive shows whether the blocker has expired indeed, as the watch can be late.
   */
  private secondsLeft(): number | undefined {
    if (!this.object && this.watchState === 'watching') return undefined;
    const { clock } = this.options.watching;
    const untilTouch = this.touchAt - clock.monotonic();
    const { reviewAt } = this.evaluation;
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
      fieldSelector: selectName(name),
      onStatus: (status) => this.onWatchStatus(status),
    });
    await source.run((event) => this.take(event), signal);
  }

  private onWatchStatus({ state }: WatchStatus): void {
    this.watchState = state;
    this.decideIfDisconnected();
  }

  private take(event: KubeWatchEvent | ListedMark): void {
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

  /**
   * Evaluates the newest state of the object.
   *
   * @param isFresh whether the state is the API server's response to a request. Events can be late, so a peer that is expired by an event
   *   may be alive.
   */
  private review(object: KubeObject | undefined, isFresh = false): void {
    if (object && this.object && isOlder(object, this.object)) return;
    // Only the version that was known before the own record expired is a proof.
    this.options.peeringLeadership.verify();
    const { identity, settings, watching, onStatus } = this.options;
    const now = watching.clock.now();
    const before = this.evaluation;
    this.object = object;
    if (!object) this.record.forget();
    this.peers = readPeers(object?.status, now);
    const living = this.observation.localize(this.peers, now, watching.clock.monotonic());
    const self = { identity, priority: settings.priority };
    const evaluation = evaluatePeers(living, self, now, hasSelectors(watching.settings.shardSelectors));
    if (!isFresh && hasExpiredBlocker(before.blockers, evaluation)) this.touchAt = -Infinity;
    else this.evaluation = evaluation;
    reportEvaluation(this.evaluation, before, watching.logger);
    this.enforce();
    if (isFresh) void this.clean();
    this.decision.resolve();
    this.changed.raise();
    onStatus();
  }

  private enforce(): void {
    const { mandatory, pauses } = this.options;
    const { rank, blockers } = this.evaluation;
    const names = blockers.map(({ identity }) => identity).join(', ');
    if (rank === 'outranked') this.block(`others have a higher priority: ${names}`);
    else if (rank === 'conflict') this.block(`others have the same priority: ${names}`);
    else if (mandatory && !this.object) this.block('it does not exist');
    else if (this.record.isExpired && this.failures > 0) this.block('the own keep-alive has expired');
    else if (this.record.secondsUntilReturn > 0) this.block('those who may have worked meanwhile are waited for');
    else pauses.lift(this.title);
  }

  private block(reason: string): void {
    this.options.pauses.set(this.title, `${this.title}: ${reason}`);
  }

  /** Removes all expired peers at once. A failure is retried with the next change. */
  private async clean(): Promise<void> {
    const { client, place, watching } = this.options;
    const dead = this.evaluation.dead.map(({ identity }) => identity);
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

  private decideIfDisconnected(): void {
    if (this.failures > 0 && DISCONNECTED_STATES.has(this.watchState)) this.decision.resolve();
  }
}
