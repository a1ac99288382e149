import type { KubeObject } from '../../objects/kube-object.js';
import { formatTimestamp } from '../../common/timestamps.js';

/** The part of a Lease that says who holds it. */
export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
}

export type Lease = KubeObject<LeaseSpec>;

/** Formats milliseconds since the epoch as a `MicroTime`, which must have six fractional digits: `2020-12-31T23:59:59.123456Z`. */
export function formatMicroTime(milliseconds: number): string {
  return formatTimestamp(milliseconds).replace('+00:00', 'Z');
}

/**
 * Computes the spec of a Lease that is acquired or renewed: the present holder continues its term, any other one begins a new
 * one.
 */
export function claimLease(spec: LeaseSpec | undefined, identity: string, duration: number, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  const { holderIdentity, acquireTime, leaseTransitions } = spec ?? {};
  const isOurs = holderIdentity === identity;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(duration),
    acquireTime: isOurs && acquireTime ? acquireTime : time,
    renewTime: time,
    leaseTransitions: (leaseTransitions ?? 0) + (spec === undefined || isOurs ? 0 : 1),
  };
}

/**
 * Identifies the term of a Lease: it stays the same as long as one holder renews it, and changes whenever the Lease is
 * acquired.
 */
export function termOf(lease: Lease | undefined): string {
  const { acquireTime, leaseTransitions } = lease?.spec ?? {};
  return JSON.stringify([lease?.metadata.uid, leaseTransitions ?? 0, acquireTime]);
}

/** Computes the spec of a Lease that its holder releases when it stops, so that others can acquire it at once. */
export function releaseLease(spec: LeaseSpec, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
