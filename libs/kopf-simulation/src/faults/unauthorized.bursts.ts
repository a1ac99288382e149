import type { Clock, KubeRequest, KubeResponse } from 'kube-common';
import { DEFAULT_SECONDS, type SimulationFault } from '../simulation.plan.js';
import { rejectWith } from './fault.response.js';
import { placeOf } from './request.place.js';

type UnauthorizedFault = Extract<SimulationFault, { readonly kind: 'unauthorized' }>;

/** The longest burst without loss of leadership, in seconds or requests. */
const HARMLESS = 5;

/** Answers requests with valid credentials by 401, for a number of requests or seconds. */
export class UnauthorizedBursts {
  /** The bursts that have begun, and their ends: in milliseconds, or after a number of requests. */
  private readonly open = new Map<UnauthorizedFault, { readonly end: number; left: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly fire: (fault: SimulationFault) => void,
  ) {}

  begin(fault: UnauthorizedFault): void {
    const { times, seconds = DEFAULT_SECONDS.unauthorized } = fault;
    const isCounted = times !== undefined;
    this.open.set(fault, {
      end: isCounted ? Infinity : this.clock.monotonic() + seconds * 1000,
      left: isCounted ? times : Infinity,
    });
  }

  /** Injects faults before a request is sent. @returns the response if the server is not to get the request */
  answer(request: KubeRequest): KubeResponse | undefined {
    if (this.open.size === 0) return undefined;
    const now = this.clock.monotonic();
    const resource = placeOf(request)?.resource;
    for (const [fault, burst] of this.open) {
      if (now >= burst.end || burst.left === 0) {
        this.open.delete(fault);
        continue;
      }
      if (fault.resource !== undefined && fault.resource !== resource) continue;
      burst.left -= 1;
      this.fire(fault);
      return rejectWith(401, undefined, { message: 'Unauthorized' });
    }
    return undefined;
  }

  heal(): void {
    this.open.clear();
  }
}

/** Whether a fault is a burst of 401 so short that no replica may lose its leadership. */
export function isShortBurst(fault: SimulationFault): boolean {
  if (fault.kind !== 'unauthorized') return false;
  return (fault.times ?? fault.seconds ?? DEFAULT_SECONDS.unauthorized) <= HARMLESS;
}
