import type { KubeRequest, KubeResponse, KubeTransport } from '../../client/http/kube.transport.js';
import { respondWith } from '../../testing/request.recorder.js';
import { describeFault, type SimulationFault } from '../simulation.plan.js';
import { placeOf } from './request.place.js';
import type { Timeline } from './timeline.js';
import type { WorldServer } from './world.server.js';

/** The field that another client changes: no part of what operators compare. */
const TOUCHED = 'kubectl.kubernetes.io/last-applied-configuration';

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** The parts of a run in which things go wrong. */
interface FaultTargets {
  readonly server: WorldServer;
  readonly timeline: Timeline;
  /** Names the operator in its requests. */
  readonly userAgent: RegExp;
}

/** A time in which the operator is kept from seeing what happens. */
interface Blindness {
  readonly fault: SimulationFault & { readonly kind: 'stale' | 'skip' };
  readonly resource: string;
  readonly gate?: Promise<void>;
  release(): void;
}

/** Lets everything go wrong that a plan says, when its time has come. */
export class FaultEngine {
  attempts = 0;
  writes = 0;
  changes = 0;
  /** The faults that have come to pass. */
  readonly fired = new Set<SimulationFault>();
  private readonly blind = new Set<Blindness>();
  private readonly hasBlindness: boolean;
  private isHealed = false;

  constructor(
    private readonly faults: readonly SimulationFault[],
    private readonly targets: FaultTargets,
  ) {
    this.hasBlindness = faults.some(({ kind }) => kind === 'stale' || kind === 'skip');
    this.beginBlindness();
  }

  /** Meets a request that is to write before the server does. @returns the answer, if the server is not to see it */
  async beforeWrite(request: KubeRequest): Promise<KubeResponse | undefined> {
    const attempt = (this.attempts += 1);
    if (this.isHealed || this.faults.length === 0) return undefined;
    for (const fault of this.faults) {
      if (fault.kind === 'conflict' && isWithin(attempt, fault.beforeAttempt, fault.times)) {
        if (await this.touch(request)) this.fire(fault);
      } else if (fault.kind === 'error' && isWithin(attempt, fault.ofAttempt, fault.times)) {
        this.fire(fault);
        return respondWithStatus(fault.status);
      }
    }
    return undefined;
  }

  /** Meets a write, or an effect, that has changed something. @returns the fault that it meets */
  afterWrite(isEffect = false): (SimulationFault & { kind: 'crash' | 'lost-answer' }) | undefined {
    const write = (this.writes += 1);
    if (this.isHealed) return undefined;
    for (const fault of this.faults) {
      const isDue =
        (fault.kind === 'crash' && fault.afterWrite === write) ||
        (fault.kind === 'lost-answer' && fault.ofWrite === write && !isEffect);
      if (!isDue) continue;
      this.fire(fault);
      return fault as SimulationFault & { kind: 'crash' | 'lost-answer' };
    }
    return undefined;
  }

  /** Follows a change of an object. */
  onChange(): void {
    this.changes += 1;
    // The server is still about to tell others of the change.
    if (this.hasBlindness) queueMicrotask(() => this.updateBlindness());
  }

  private updateBlindness(): void {
    for (const blindness of this.blind) {
      const { untilChange } = blindness.fault;
      if (untilChange !== undefined && this.changes >= untilChange) this.end(blindness);
    }
    this.beginBlindness();
  }

  /** Nothing happens any more: what has waited for that comes to its end. @returns false if there was nothing */
  onRest(): boolean {
    const over = [...this.blind].filter(
      ({ fault }) => fault.untilChange === undefined && this.changes >= fault.fromChange,
    );
    for (const blindness of over) this.end(blindness);
    return over.length > 0;
  }

  /** Connects the operator again with whatever it is disconnected from. @returns false if there is nothing */
  reconnect(): boolean {
    const disconnected = [...this.blind].filter(({ gate }) => gate !== undefined);
    for (const blindness of disconnected) this.end(blindness);
    return disconnected.length > 0;
  }

  /** Ends all faults. @returns false if there were none */
  heal(): boolean {
    this.isHealed = true;
    const found = [...this.blind];
    for (const blindness of found) this.end(blindness);
    return found.length > 0;
  }

  /** Settles when the operator may read the objects of a resource; absent if it may now. */
  gateOf(resource: string): Promise<void> | undefined {
    for (const blindness of this.blind) if (blindness.resource === resource) return blindness.gate;
    return undefined;
  }

  /** Tells whether the operator does not see changes of a resource. */
  isHidden(resource: string): boolean {
    for (const blindness of this.blind) if (blindness.resource === resource) return true;
    return false;
  }

  private beginBlindness(): void {
    if (this.isHealed) return;
    for (const fault of this.faults) {
      if (fault.kind !== 'stale' && fault.kind !== 'skip') continue;
      if (fault.fromChange > this.changes + 1 || this.fired.has(fault)) continue;
      this.fire(fault);
      this.blind.add(fault.kind === 'stale' ? this.lag(fault) : this.disconnect(fault));
    }
  }

  private lag(fault: Blindness['fault']): Blindness {
    const { server, userAgent } = this.targets;
    const lag = server.faults.lag({ resource: fault.resource, userAgent });
    return { fault, resource: fault.resource, release: () => lag.cancel() };
  }

  private disconnect(fault: Blindness['fault']): Blindness {
    const { server, userAgent } = this.targets;
    let open: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const match = { resource: fault.resource, userAgent };
    server.faults.damageWatches('cut', match);
    const release = (): void => {
      server.expireHistory();
      open();
    };
    return { fault, resource: fault.resource, gate, release };
  }

  private end(blindness: Blindness): void {
    this.blind.delete(blindness);
    this.targets.timeline.note('fault', `over: ${describeFault(blindness.fault)}`, {
      type: 'recovery',
      fault: blindness.fault.kind,
    });
    blindness.release();
  }

  private fire(fault: SimulationFault): void {
    if (!this.fired.has(fault)) {
      this.targets.timeline.note('fault', describeFault(fault), { type: 'fault', fault: fault.kind });
    }
    this.fired.add(fault);
  }

  /** Changes the object of a request, and takes it back, so that its version is another one. */
  private async touch(request: KubeRequest): Promise<boolean> {
    const place = placeOf(request);
    if (!place?.object || request.method === 'POST') return false;
    const transport = this.targets.server.transport();
    const changed = await annotate(transport, place.object, String(this.changes));
    if (changed) await annotate(transport, place.object, null);
    return changed;
  }
}

async function annotate(transport: KubeTransport, path: string, value: string | null): Promise<boolean> {
  const headers = { 'content-type': 'application/merge-patch+json', 'user-agent': 'another client' };
  const body = JSON.stringify({ metadata: { annotations: { [TOUCHED]: value } } });
  const { status } = await transport.request({ method: 'PATCH', path, headers, body });
  return status < 300;
}

function isWithin(number: number, first: number, times = 1): boolean {
  return number >= first && number < first + times;
}

function respondWithStatus(code: number): KubeResponse {
  const message = 'The simulation rejects the request.';
  const reason = REASONS[code] ?? 'InternalError';
  return respondWith(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
  });
}
