import type { KubeObject } from '../../objects/kube-object.js';
import { formatTimestamp, parseTimestamp } from 'kube-common';
import type { LeaseStatus } from '../pausing/leadership.js';
import { isDeepStrictEqual } from 'node:util';
import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import { ifFound } from '../../client/api/object.reader.js';

/** The spec of a Lease: who holds it, since when, and for how long. */
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

/** Computes the spec of a Lease that is acquired or renewed: its present holder continues the term, any other replica begins a new one. */
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

/** Computes an identity of the term of a Lease, which stays the same while one holder renews it, and changes when the Lease is acquired. */
export function termOf(lease: Lease | undefined): string {
  const { acquireTime, leaseTransitions } = lease?.spec ?? {};
  return JSON.stringify([lease?.metadata.uid, leaseTransitions ?? 0, acquireTime]);
}

/** Computes the status of a Lease as it was read or written last. */
export function leaseStatusOf(
  { namespace, name }: Pick<LeaseClient, 'namespace' | 'name'>,
  lease: Lease | undefined,
  identity: string,
): LeaseStatus {
  const { holderIdentity, renewTime, leaseTransitions } = lease?.spec ?? {};
  const renewedAt = parseTimestamp(renewTime);
  return {
    namespace,
    name,
    isLeader: holderIdentity === identity,
    ...(holderIdentity && { holder: holderIdentity }),
    ...(renewedAt !== undefined && { renewedAt }),
    ...(typeof leaseTransitions === 'number' && { transitions: leaseTransitions }),
  };
}

/** Computes the spec of a Lease that its holder releases when it stops, so that another replica can acquire it at once. */
export function releaseLease(spec: LeaseSpec, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}

/**
 * The observation since when a Lease has not changed, by the local clock. The times in the Lease are not used, as the clocks of other
 * machines can be wrong.
 */
export class LeaseObservation {
  private spec?: LeaseSpec;
  private since = 0;

  /** @param now the monotonic time in milliseconds. */
  observe(spec: LeaseSpec | undefined, now: number): void {
    if (this.spec !== undefined && isDeepStrictEqual(spec, this.spec)) return;
    this.spec = spec;
    this.since = now;
  }

  /**
   * Computes the monotonic time at which the Lease can be taken; `-Infinity` if no other replica holds it.
   *
   * @param duration the seconds that apply if the Lease has no duration.
   */
  freeAt(identity: string, duration: number): number {
    const { holderIdentity, leaseDurationSeconds } = this.spec ?? {};
    if (!holderIdentity || holderIdentity === identity) return -Infinity;
    return this.since + (leaseDurationSeconds ?? duration) * 1000;
  }

  get holder(): string {
    return this.spec?.holderIdentity ?? '';
  }
}

/**
 * The client of one Lease. It does not retry: the election does. Its requests do not wait for the request budget, as waiting could lose the
 * Lease.
 */
export class LeaseClient {
  constructor(
    private readonly api: KubeApi,
    readonly namespace: string,
    readonly name: string,
  ) {}

  get title(): string {
    return `Lease ${this.namespace}/${this.name}`;
  }

  /** Reads the Lease; `undefined` if it does not exist. */
  get(timeout: number): Promise<Lease | undefined> {
    return ifFound(this.api.get<Lease>(this.path, createOptions(timeout)));
  }

  /**
   * Writes the Lease if it has not changed since it was read, or creates it.
   *
   * @throws ApiConflictError if another replica was faster.
   */
  write(lease: Lease | undefined, spec: LeaseSpec, timeout: number): Promise<Lease> {
    const options = createOptions(timeout);
    if (lease) return this.api.put<Lease>(this.path, { ...lease, spec }, options);
    const { name, namespace } = this;
    const created = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    return this.api.post<Lease>(this.collection, created, options);
  }

  private get path(): string {
    return `${this.collection}/${encodeURIComponent(this.name)}`;
  }

  private get collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(this.namespace)}/leases`;
  }
}

function createOptions(timeout: number): ApiCallOptions {
  return { retries: false, timeout, urgent: true };
}
