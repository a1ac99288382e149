import type { Clock } from 'kube-common';

/** Seconds within which an operator repeats a request that has failed. */
const RECOVERY = 65;
/** Seconds that a daemon or a timer may run before it has an effect. */
const CALL_TIME = 5;

const PEERINGS = /kopfpeerings\./;

/** The time without changes after which an operator counts as at rest, as some of what it waits for is not visible from outside. */
export class RestDelay {
  /** Seconds within which another replica takes over, by the kind of leadership that the operator uses. */
  private takeover = 0;
  /** Whether replicas compare times of day, as in a peering. With a Lease, they measure how long it has not changed. */
  private isByTimeOfDay = false;
  /** The time before which a failed request may still be repeated, or a call may still have an effect, in milliseconds. */
  recoveredAt = -Infinity;
  /** Seconds by which clocks were set back: records from before seem to be alive for that much longer. */
  setBack = 0;

  constructor(private readonly clock: Clock) {}

  /** Whether replicas elect a leader, so that a process can lose its leadership. */
  get isCoordinated(): boolean {
    return this.takeover > 0;
  }

  /** Whether replicas use a Lease, which its holder keeps as long as it can renew it. */
  get isUnderLease(): boolean {
    return this.isCoordinated && !this.isByTimeOfDay;
  }

  /** Records a write of the operator, which shows the kind of leadership. @param resource the plural with the group */
  onWrite(resource: string): void {
    this.takeover = Math.max(this.takeover, takeoverOf(resource));
    this.isByTimeOfDay ||= PEERINGS.test(resource);
  }

  /** Records a request that has failed, and will be repeated. */
  onFailure(): void {
    this.awaitRecovery(RECOVERY);
  }

  /** Records a call of a daemon or a timer that has not done its work before. @param seconds until the call */
  onBackgroundCall(seconds: number): void {
    this.awaitRecovery(seconds + CALL_TIME);
  }

  /** Records a jump of the operator's clock, in seconds. */
  onClockJump(seconds: number): void {
    this.setBack += Math.max(0, -seconds);
  }

  /** The delay in seconds. @param interval of timers and daemons, in seconds; 0 if there are none */
  secondsWith(interval: number): number {
    const takeover = this.takeover + (this.isByTimeOfDay ? this.setBack : 0);
    return Math.max(takeover, interval > 0 ? Math.max(5, 2 * interval) : 0);
  }

  private awaitRecovery(seconds: number): void {
    this.recoveredAt = Math.max(this.recoveredAt, this.clock.monotonic() + seconds * 1000);
  }
}

/** Seconds that other replicas wait for one that has crashed, by the resource of their leadership; 0 for other resources. */
export function takeoverOf(resource: string): number {
  if (resource === 'leases.coordination.k8s.io') return 20;
  return PEERINGS.test(resource) ? 70 : 0;
}
