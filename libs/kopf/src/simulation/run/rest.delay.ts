import type { Clock } from '../../common/clock.js';

/** Seconds after which an operator has repeated a request that has failed, at the latest. */
const RECOVERY = 65;
/** Seconds that a daemon or a timer may take before it shows what it does. */
const CALL_TIME = 5;

const PEERINGS = /kopfpeerings\./;

/** Tells for how long nothing must change until an operator is at rest: some of what it waits for cannot be seen from outside. */
export class RestDelay {
  /** Seconds after which another replica takes over at the latest, in the coordination that the operator has. */
  private takeover = 0;
  /** Is true if replicas compare times of day; those under a Lease measure how long it has not changed. */
  private isByTimeOfDay = false;
  /** The time before which something may still be made good that has failed, or may still show that has begun, in milliseconds. */
  recoveredAt = -Infinity;
  /** Seconds by which clocks were set back: what was written before seems to be alive for so much longer. */
  setBack = 0;

  constructor(private readonly clock: Clock) {}

  /** Tells whether replicas agree on which of them works, so that the leadership of one can expire. */
  get isCoordinated(): boolean {
    return this.takeover > 0;
  }

  /** Tells whether replicas agree by a Lease, which its holder keeps as long as it can renew it. */
  get isUnderLease(): boolean {
    return this.isCoordinated && !this.isByTimeOfDay;
  }

  /** Follows a write of the operator, which shows how its replicas agree. @param resource the plural with the group */
  onWrite(resource: string): void {
    this.takeover = Math.max(this.takeover, takeoverOf(resource));
    this.isByTimeOfDay ||= PEERINGS.test(resource);
  }

  /** Follows a request that has failed: it will be repeated. */
  onFailure(): void {
    this.awaitRecovery(RECOVERY);
  }

  /** Follows a daemon or a timer that is called, but has not done its work before. @param seconds until then */
  onBackgroundCall(seconds: number): void {
    this.awaitRecovery(seconds + CALL_TIME);
  }

  /** Follows a jump of the operator's clock, in seconds. */
  onClockJump(seconds: number): void {
    this.setBack += Math.max(0, -seconds);
  }

  /** The delay in seconds. @param interval that of timers and daemons, in seconds; 0 if there are none */
  secondsWith(interval: number): number {
    const takeover = this.takeover + (this.isByTimeOfDay ? this.setBack : 0);
    return Math.max(takeover, interval > 0 ? Math.max(5, 2 * interval) : 0);
  }

  private awaitRecovery(seconds: number): void {
    this.recoveredAt = Math.max(this.recoveredAt, this.clock.monotonic() + seconds * 1000);
  }
}

/** Seconds that others wait for a replica that has crashed, by the resource that they agree with; 0 for other resources. */
export function takeoverOf(resource: string): number {
  if (resource === 'leases.coordination.k8s.io') return 20;
  return PEERINGS.test(resource) ? 70 : 0;
}
