import { parseTimestamp } from 'kube-common';
import { deadlineOf, readPeers, type Peer } from '../../coordination/peering/peers.js';
import type { LeaseSpec } from '../../coordination/leader-election/lease.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { InspectedCoordination, InspectedLease, InspectedPeering } from '../inspection.types.js';

/** The peering objects and the Leases of operators, as they were seen last. */
export class ClusterPeers {
  private readonly peerings = new Map<string, KubeObject>();
  private readonly leases = new Map<string, KubeObject<LeaseSpec>>();

  /** Takes the present state of a peering object or of a Lease. */
  put(kind: 'peering' | 'lease', object: KubeObject): void {
    this.mapOf(kind).set(keyOf(object), object);
  }

  delete(kind: 'peering' | 'lease', object: KubeObject): void {
    this.mapOf(kind).delete(keyOf(object));
  }

  /** Returns the living operators of the peerings that can concern objects of the namespace, the one of the highest priority first. */
  livingPeers(namespace: string | undefined, now: number): readonly Peer[] {
    const objects = [...this.peerings.values()].filter(
      ({ metadata }) => metadata.namespace === undefined || metadata.namespace === namespace,
    );
    return objects.flatMap(({ status }) => livingOf(status, now));
  }

  /** @param now the time in milliseconds since the epoch. */
  inspect(now: number): InspectedCoordination {
    const peerings = [...this.peerings.values()].map((object) => toInspectedPeering(object, now));
    const leases = [...this.leases.values()].map(toInspectedLease);
    const [lease] = leases.sort((one, other) => (other.renewedAt ?? 0) - (one.renewedAt ?? 0));
    const mode = peerings.some(({ peers }) => peers.length > 0) ? 'peering' : lease ? 'lease' : 'none';
    return { mode, identity: '', paused: [], ...(lease && { lease }), peerings };
  }

  private mapOf(kind: 'peering' | 'lease'): Map<string, KubeObject> {
    return kind === 'peering' ? this.peerings : this.leases;
  }
}

function livingOf(status: unknown, now: number): readonly Peer[] {
  const living = readPeers(status, now).filter((peer) => deadlineOf(peer) > now);
  return living.sort((one, other) => other.priority - one.priority);
}

/** Describes a peering, with the rank of the operator that works. If several have the highest priority, all of them pause. */
function toInspectedPeering({ metadata, status }: KubeObject, now: number): InspectedPeering {
  const { name = '', namespace } = metadata;
  const [first, second] = livingOf(status, now);
  const isConflict = second !== undefined && second.priority === first.priority;
  const peers = readPeers(status, now).map((peer) => {
    const { identity, priority, lastSeen, message } = peer;
    return { identity, priority, lastSeen, deadline: deadlineOf(peer), self: false, ...(message && { message }) };
  });
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(isConflict && { rank: 'conflict' }),
    peers,
  };
}

function toInspectedLease({ metadata, spec }: KubeObject<LeaseSpec>): InspectedLease {
  const { name = '', namespace = '' } = metadata;
  const renewedAt = parseTimestamp(spec?.renewTime);
  return {
    name,
    namespace,
    ...(spec?.holderIdentity && { holder: spec.holderIdentity }),
    isLeader: false,
    ...(renewedAt !== undefined && { renewedAt }),
    ...(typeof spec?.leaseTransitions === 'number' && { transitions: spec.leaseTransitions }),
  };
}

function keyOf({ kind, metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${kind} ${namespace}/${name}`;
}
