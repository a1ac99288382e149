import type { KubeRequest, KubeResponse } from '../../client/http/kube.transport.js';
import type { ObjectReference } from '../../testing/test.client.js';
import type { Clock } from '../../common/clock.js';
import {
  DEFAULT_SECONDS,
  describeFault,
  type Intervention,
  type RejectedPatchFault,
  type SimulationFault,
  type SimulationPlan,
} from '../simulation.plan.js';
import { WatchPartitions } from './watch.partitions.js';
import { rejectWith } from './fault.response.js';
import type { Interventions } from './interventions.js';
import { LateCollection } from './late.collection.js';
import { OtherClient } from './other.client.js';
import type { FrameworkPatch, PatchParts } from './patch.parts.js';
import { PatchRejections, type PatchedObject } from './patch.rejections.js';
import { isConditional, placeOf } from './request.place.js';
import type { Timeline } from './timeline.js';
import { isShortBurst, UnauthorizedBursts } from './unauthorized.bursts.js';
import { nameOfResource, type WorldServer } from './world.server.js';

/** The parts of a run in which things go wrong. */
interface FaultTargets {
  readonly server: WorldServer;
  readonly timeline: Timeline;
  readonly clock: Clock;
  /** Names the operator in its requests. */
  readonly userAgent: RegExp;
  /** Lets the wall clocks of replicas jump. @param replica absent for all of them */
  jumpClock(milliseconds: number, replica: number | undefined): void;
  readonly interventions: Interventions;
  readonly patchParts: PatchParts;
}

/** Something that happens to the process whose request it is. */
export type ProcessFault = Extract<SimulationFault, { readonly kind: 'crash' | 'freeze' }>;

type ClockSkew = Extract<SimulationFault, { readonly kind: 'clock-skew' }>;

/** A request of the operator that was to write, as plans are made of it. */
export interface TracedRequest {
  readonly number: number;
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Is true if the API server rejects it with a conflict when the object is another one than the operator has seen. */
  readonly isConditional: boolean;
  /** The numbers of writes of the operator, and of changes by anybody, before it. */
  readonly writes: number;
  readonly changes: number;
  /** The number of times that the operator was at rest before it. */
  readonly rests: number;
  /** What the framework would change by it; absent for other requests, and in runs in which that is not needed. */
  readonly patch?: FrameworkPatch;
}

/** A request of the operator for objects: one, a list, or a watch. */
export interface TracedRead {
  readonly number: number;
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The number of times that the operator was at rest before it. */
  readonly rests: number;
}

/** Lets everything go wrong that a plan says, when its time has come. */
export class FaultEngine {
  writes = 0;
  changes = 0;
  /** The number of times that the operator was at rest. */
  rests = 0;
  /** The number of reviews that the API server has sent to the operator, or has tried to. */
  reviews = 0;
  readonly requests: TracedRequest[] = [];
  readonly reads: TracedRead[] = [];
  /** The faults that have come to pass. */
  readonly fired = new Set<SimulationFault>();
  private readonly faults: readonly SimulationFault[];
  private readonly partitions: WatchPartitions;
  private readonly other: OtherClient;
  private readonly collection: LateCollection;
  private readonly rejections: PatchRejections;
  private readonly bursts: UnauthorizedBursts;
  /** The number of errors by which patches were answered, by objects. */
  private readonly errors = new Map<string, number>();
  /** The clocks that are wrong until a change. */
  private readonly skews = new Set<ClockSkew>();
  /** The number of times that the credentials in use have expired: those that are got then are others. */
  expirations = 0;
  /** The faults that begin after a change, and have not begun. */
  private readonly waiting: Set<SimulationFault & { readonly afterChange: number }>;
  private outageEnd = -Infinity;
  private outagesBegun = 0;
  private webhooksEnd = -Infinity;
  private isHealed = false;

  constructor(
    { faults, seed }: SimulationPlan,
    private readonly targets: FaultTargets,
  ) {
    this.faults = faults;
    this.other = new OtherClient(targets.server.transport());
    this.partitions = new WatchPartitions(faults, targets, (fault) => this.fire(fault));
    this.collection = new LateCollection(seed, (fault) => this.fire(fault));
    this.rejections = new PatchRejections(faults, targets.clock, (fault) => this.fire(fault));
    this.bursts = new UnauthorizedBursts(targets.clock, (fault) => this.fire(fault));
    this.waiting = new Set(faults.filter((fault) => 'afterChange' in fault));
  }

  get attempts(): number {
    return this.requests.length;
  }

  /** The faults that have not come to pass. */
  get missed(): readonly SimulationFault[] {
    return this.faults.filter((fault) => !this.fired.has(fault));
  }

  /** The rejections of patches that have come to pass, and have no end. */
  get endless(): readonly RejectedPatchFault[] {
    return this.rejections.endless;
  }

  /** The time at which the first of them has come to pass, in milliseconds; absent if none has. */
  get endlessSince(): number | undefined {
    return this.rejections.endlessSince;
  }

  /** The rejections of patches that have come to pass. */
  get rejected(): readonly RejectedPatchFault[] {
    return this.rejections.rejected;
  }

  /** Tells whether a part of any patch is to be rejected, or was answered by errors. */
  get hasRejections(): boolean {
    return this.rejections.isWanted || this.errors.size > 0;
  }

  /** Tells whether patches of an object are rejected, or were. */
  concerns(object: PatchedObject): boolean {
    return this.rejections.concerns(object) || (this.errors.get(keyOf(object)) ?? 0) > 1;
  }

  /** Tells whether all that has gone wrong so far are bursts of 401 that no replica is to lose its leadership by. */
  get hasOnlyShortBursts(): boolean {
    return this.fired.size > 0 && [...this.fired].every(isShortBurst);
  }

  /** Tells whether the API server refuses the operator's connections. */
  get isRefusing(): boolean {
    return this.targets.clock.monotonic() < this.outageEnd;
  }

  /** The number of times at which the API server has begun, or ceased, to refuse connections: odd while it refuses them. */
  get outages(): number {
    return 2 * this.outagesBegun - (this.isRefusing ? 1 : 0);
  }

  /**
   * Meets a request that is to write before it is sent.
   *
   * @returns the fault that its process meets, or the answer if the server is not to see it.
   */
  async beforeWrite(request: KubeRequest): Promise<{ fault?: ProcessFault; response?: KubeResponse } | undefined> {
    const { writes, changes, rests } = this;
    const number = this.attempts + 1;
    const { resource = '' } = placeOf(request) ?? {};
    // Plans are made of runs without faults.
    const isTraced = this.faults.length === 0 || this.rejections.isWanted;
    const patch = isTraced ? this.targets.patchParts.of(request) : undefined;
    const traced = { number, resource, isConditional: isConditional(request), writes, changes, rests };
    this.requests.push(patch ? { ...traced, patch } : traced);
    const rejection = patch && this.rejections.answer(patch);
    if (rejection) return { response: rejection };
    if (this.isHealed || this.faults.length === 0) return undefined;
    for (const fault of this.faults) {
      if (isProcessFault(fault) && 'beforeAttempt' in fault && fault.beforeAttempt === number) {
        this.fire(fault);
        return { fault };
      } else if (fault.kind === 'conflict' && isWithin(number, fault.beforeAttempt, fault.times)) {
        if (await this.other.touch(request, fault.stays === true)) this.fire(fault);
      } else if (fault.kind === 'error' && 'ofAttempt' in fault && isWithin(number, fault.ofAttempt, fault.times)) {
        this.noteError(request);
        return { response: this.rejectBy(fault) };
      }
    }
    return undefined;
  }

  /** Counts errors by which patches are answered: of two in a row, the framework makes a rejection, if it can read the object. */
  private noteError(request: KubeRequest): void {
    const patch = this.targets.patchParts.of(request);
    if (!patch) return;
    const key = keyOf(patch);
    this.errors.set(key, (this.errors.get(key) ?? 0) + 1);
  }

  /** Meets any request before it is sent. @returns the answer if the server does not accept its credentials */
  beforeRequest(request: KubeRequest): KubeResponse | undefined {
    return this.bursts.answer(request);
  }

  /** Meets a request for objects before it is sent. @returns the answer if the server is not to see it */
  beforeRead(request: KubeRequest): KubeResponse | undefined {
    const { resource } = placeOf(request) ?? {};
    if (resource === undefined) return undefined;
    const number = this.reads.length + 1;
    this.reads.push({ number, resource, rests: this.rests });
    if (this.isHealed) return undefined;
    for (const fault of this.faults) {
      if (fault.kind !== 'error' || !('ofRead' in fault) || !isWithin(number, fault.ofRead, fault.times)) continue;
      return this.rejectBy(fault);
    }
    return undefined;
  }

  /** Meets a write, or an effect, that has changed something. @returns the fault that it meets */
  afterWrite(isEffect = false): ProcessFault | (SimulationFault & { readonly kind: 'lost-answer' }) | undefined {
    const write = (this.writes += 1);
    if (this.isHealed) return undefined;
    for (const fault of this.faults) {
      const isHit = isProcessFault(fault)
        ? 'afterWrite' in fault && fault.afterWrite === write
        : fault.kind === 'lost-answer' && fault.ofWrite === write && !isEffect;
      if (!isHit) continue;
      this.fire(fault);
      return fault as ProcessFault;
    }
    return undefined;
  }

  /** Meets a review that the API server is about to send to the operator. @returns true if it does not arrive */
  beforeReview(): boolean {
    this.reviews += 1;
    if (this.isHealed) return false;
    const now = this.targets.clock.monotonic();
    for (const fault of this.faults) {
      if (fault.kind !== 'webhook-down' || fault.fromReview !== this.reviews) continue;
      this.fire(fault);
      this.webhooksEnd = now + (fault.seconds ?? DEFAULT_SECONDS['webhook-down']) * 1000;
    }
    return now < this.webhooksEnd;
  }

  /** Begins with what is wrong from the first moment on. */
  begin(): void {
    this.beginDue();
  }

  /** Follows a change of an object. */
  onChange(): void {
    this.changes += 1;
    if (this.faults.length === 0) return;
    // The server is still about to tell others of the change.
    queueMicrotask(() => {
      this.partitions.update(this.changes);
      this.beginDue();
    });
  }

  /** Nothing happens any more: what has waited for that comes to its end. @returns false if there was nothing */
  onRest(): boolean {
    this.rests += 1;
    return this.partitions.onRest(this.changes);
  }

  /** Lets the operator see everything as it is. @returns false if it does so already */
  endPartitions(): boolean {
    return this.partitions.endAll();
  }

  /** Ends all faults. @returns false if there were none */
  heal(): boolean {
    this.isHealed = true;
    this.outageEnd = this.webhooksEnd = -Infinity;
    this.collection.end();
    this.rejections.heal();
    this.bursts.heal();
    return this.partitions.heal();
  }

  /** Settles when the operator may read the objects of a resource; absent if it may now. */
  gateOf(resource: string): Promise<void> | undefined {
    return this.partitions.gateOf(resource);
  }

  /** The seconds after which the garbage collector gets to the next object. */
  collectionDelay(): number {
    return this.collection.delay();
  }

  /** Tells whether the operator does not see changes of a resource. */
  isHidden(resource: string): boolean {
    return this.partitions.isHidden(resource);
  }

  /** Tells whether the operator does not see what becomes of an object. */
  hides({ apiVersion = '', kind = '' }: ObjectReference): boolean {
    const resource = this.targets.server.client.resourceOf(apiVersion, kind);
    return resource !== undefined && this.isHidden(nameOfResource(resource));
  }

  /** Keeps the operator from seeing the resources. @returns what lets it list them: it never sees what was in between */
  hide(resources: Iterable<string>): () => void {
    return this.partitions.hide(resources);
  }

  private rejectBy(fault: SimulationFault & { readonly kind: 'error' }): KubeResponse {
    this.fire(fault);
    if (fault.status === 401) this.expirations += 1;
    return rejectWith(fault.status, fault.retryAfter);
  }

  private beginDue(): void {
    if (this.isHealed) return;
    for (const skew of this.skews) {
      if (skew.untilChange! > this.changes) continue;
      this.skews.delete(skew);
      this.targets.jumpClock(-skew.seconds * 1000, skew.replica);
      this.targets.timeline.note('fault', 'the clock is corrected', { type: 'recovery', fault: skew.kind });
    }
    for (const fault of this.waiting) {
      if (fault.afterChange > this.changes) continue;
      const { interventions } = this.targets;
      if (isIntervention(fault) && !interventions.isPossible(fault)) continue;
      this.waiting.delete(fault);
      if (fault.kind === 'late-collection') {
        this.collection.begin(fault);
        continue;
      }
      if (fault.kind === 'unauthorized') {
        this.bursts.begin(fault);
        continue;
      }
      this.fire(fault);
      if (isIntervention(fault)) interventions.make(fault);
      else if (fault.kind === 'clock-jump') this.targets.jumpClock(fault.seconds * 1000, fault.replica);
      else if (fault.kind === 'clock-skew') this.skew(fault);
      else if (fault.kind === 'outage') this.disconnect(fault.seconds ?? DEFAULT_SECONDS.outage);
    }
  }

  private skew(fault: ClockSkew): void {
    this.targets.jumpClock(fault.seconds * 1000, fault.replica);
    if (fault.untilChange !== undefined) this.skews.add(fault);
  }

  private disconnect(seconds: number): void {
    const { server, clock, userAgent } = this.targets;
    this.outagesBegun += 1;
    this.outageEnd = clock.monotonic() + seconds * 1000;
    server.faults.damageWatches('cut', { userAgent });
  }

  private fire(fault: SimulationFault): void {
    if (!this.fired.has(fault)) {
      this.targets.timeline.note('fault', describeFault(fault), { type: 'fault', fault: fault.kind });
    }
    this.fired.add(fault);
  }
}

function isProcessFault(fault: SimulationFault): fault is ProcessFault {
  return fault.kind === 'crash' || fault.kind === 'freeze';
}

function isIntervention(fault: SimulationFault): fault is Intervention {
  return fault.kind === 'recreate' || fault.kind === 'drift';
}

function isWithin(number: number, first: number, times = 1): boolean {
  return number >= first && number < first + times;
}

function keyOf({ resource, namespace, name }: PatchedObject): string {
  return [resource, namespace, name].join(' ');
}
