import type { Clock, KubeRequest, KubeResponse } from 'kube-common';
import type { ObjectReference } from 'nestjs-kopf/testing';
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
import type { Interventions } from '../run/interventions.js';
import { LateCollection } from '../world/late.collection.js';
import { OtherClient } from './other.client.js';
import type { FrameworkPatch, PatchParts } from './patch.parts.js';
import { PatchRejections, type PatchedObject } from './patch.rejections.js';
import { isConditional, placeOf } from './request.place.js';
import type { Timeline } from '../run/timeline.js';
import { isShortBurst, UnauthorizedBursts } from './unauthorized.bursts.js';
import { nameOfResource, type WorldServer } from '../world/world.server.js';

/** The parts of a run that faults are injected into. */
interface FaultTargets {
  readonly server: WorldServer;
  readonly timeline: Timeline;
  readonly clock: Clock;
  /** Matches the user agent of the operator's requests. */
  readonly userAgent: RegExp;
  /** Makes the wall clocks of replicas jump. @param replica absent for all of them */
  jumpClock(milliseconds: number, replica: number | undefined): void;
  readonly interventions: Interventions;
  readonly patchParts: PatchParts;
}

/** A fault of the process that sends the request. */
export type ProcessFault = Extract<SimulationFault, { readonly kind: 'crash' | 'freeze' }>;

type ClockSkew = Extract<SimulationFault, { readonly kind: 'clock-skew' }>;

/** A writing request of the operator, as plans are made of it. */
export interface TracedRequest {
  readonly number: number;
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Whether the API server rejects the request with a conflict if the object has changed since the operator has read it. */
  readonly isConditional: boolean;
  /** The number of writes of the operator, and of changes by any client, before the request. */
  readonly writes: number;
  readonly changes: number;
  /** The number of times that the operator was at rest before the request. */
  readonly rests: number;
  /** The change that the framework requests; absent for other requests, and in runs that do not need it. */
  readonly patch?: FrameworkPatch;
}

/** A request of the operator for objects: one, a list, or a watch. */
export interface TracedRead {
  readonly number: number;
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The number of times that the operator was at rest before the request. */
  readonly rests: number;
}

/** Injects the faults of a plan at their times. */
export class FaultEngine {
  writes = 0;
  changes = 0;
  /** The number of times that the operator was at rest. */
  rests = 0;
  /** The number of reviews that the API server has sent to the operator, or has tried to send. */
  reviews = 0;
  readonly requests: TracedRequest[] = [];
  readonly reads: TracedRead[] = [];
  /** The faults that have happened. */
  readonly fired = new Set<SimulationFault>();
  private readonly faults: readonly SimulationFault[];
  private readonly partitions: WatchPartitions;
  private readonly other: OtherClient;
  private readonly collection: LateCollection;
  private readonly rejections: PatchRejections;
  private readonly bursts: UnauthorizedBursts;
  /** The number of error responses to patches, by object. */
  private readonly errors = new Map<string, number>();
  /** The clock skews that end with a change. */
  private readonly skews = new Set<ClockSkew>();
  /** The number of times that the credentials in use have expired. A login gets others afterwards. */
  expirations = 0;
  /** The faults that begin after a change and have not begun yet. */
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

  /** The faults that have not happened. */
  get missed(): readonly SimulationFault[] {
    return this.faults.filter((fault) => !this.fired.has(fault));
  }

  /** The rejections of patches that have happened and last until the end of the run. */
  get endless(): readonly RejectedPatchFault[] {
    return this.rejections.endless;
  }

  /** The time at which the first of them has begun, in milliseconds; absent if there is none. */
  get endlessSince(): number | undefined {
    return this.rejections.endlessSince;
  }

  /** The rejections of patches that have happened. */
  get rejected(): readonly RejectedPatchFault[] {
    return this.rejections.rejected;
  }

  /** Whether a part of any patch is to be rejected, or patches were answered by errors. */
  get hasRejections(): boolean {
    return this.rejections.isWanted || this.errors.size > 0;
  }

  /** Whether patches of an object are or were rejected. */
  concerns(object: PatchedObject): boolean {
    return this.rejections.concerns(object) || (this.errors.get(keyOf(object)) ?? 0) > 1;
  }

  /** Whether the only faults so far are bursts of 401 so short that no replica may lose its leadership. */
  get hasOnlyShortBursts(): boolean {
    return this.fired.size > 0 && [...this.fired].every(isShortBurst);
  }

  /** Whether the API server refuses the operator's connections. */
  get isRefusing(): boolean {
    return this.targets.clock.monotonic() < this.outageEnd;
  }

  /** The number of times that the API server has begun or stopped refusing connections: odd while it refuses them. */
  get outages(): number {
    return 2 * this.outagesBegun - (this.isRefusing ? 1 : 0);
  }

  /**
   * Injects faults before a writing request is sent.
   *
   * @returns the fault of its process, or the response if the server is not to get the request.
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

  /** Counts error responses to patches. After two in a row, the framework reports a rejection, if it can read the object. */
  private noteError(request: KubeRequest): void {
    const patch = this.targets.patchParts.of(request);
    if (!patch) return;
    const key = keyOf(patch);
    this.errors.set(key, (this.errors.get(key) ?? 0) + 1);
  }

  /** Injects faults before any request is sent. @returns the response if the server rejects its credentials */
  beforeRequest(request: KubeRequest): KubeResponse | undefined {
    return this.bursts.answer(request);
  }

  /** Injects faults before a reading request is sent. @returns the response if the server is not to get the request */
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

  /** Injects faults after a write or an effect that has changed something. @returns the fault that hits it */
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

  /** Injects faults before the API server sends a review to the operator. @returns whether the review is lost */
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

  /** Begins the faults that last from the beginning of the run. */
  begin(): void {
    this.beginDue();
  }

  /** Counts a change of an object, and begins or ends the faults that are due. */
  onChange(): void {
    this.changes += 1;
    if (this.faults.length === 0) return;
    // The server has not sent the change to the watches yet.
    queueMicrotask(() => {
      this.partitions.update(this.changes);
      this.beginDue();
    });
  }

  /** Ends the faults that last until nothing happens any more. @returns false if there were none */
  onRest(): boolean {
    this.rests += 1;
    return this.partitions.onRest(this.changes);
  }

  /** Ends all watch partitions, so that the operator sees everything as it is. @returns false if there were none */
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

  /** Settles when the operator may watch the objects of a resource; absent if it may now. */
  gateOf(resource: string): Promise<void> | undefined {
    return this.partitions.gateOf(resource);
  }

  /** The seconds after which the garbage collector handles the next object. */
  collectionDelay(): number {
    return this.collection.delay();
  }

  /** Whether changes of a resource are hidden from the operator. */
  isHidden(resource: string): boolean {
    return this.partitions.isHidden(resource);
  }

  /** Whether changes of an object are hidden from the operator. */
  hides({ apiVersion = '', kind = '' }: ObjectReference): boolean {
    const resource = this.targets.server.client.resourceOf(apiVersion, kind);
    return resource !== undefined && this.isHidden(nameOfResource(resource));
  }

  /** Hides changes of resources from the operator. @returns a function that lets it list them: it never sees the states in between */
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
