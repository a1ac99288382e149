import type { SimulationFault } from '../simulation.plan.js';
import { describeFault } from '../simulation.plan.js';
import type { Timeline } from '../run/timeline.js';
import type { WorldServer } from '../world/world.server.js';

/** A fault that hides changes from the operator. */
type PartitionFault = SimulationFault & { readonly kind: 'stale' | 'missed-events' };

/** A period in which changes are hidden from the operator. */
interface WatchPartition {
  readonly fault: PartitionFault;
  /** Settles when the operator may watch again; absent if it may, on a server that lags behind. */
  readonly gate?: Promise<void>;
  release(): void;
}

/** Hides changes from the operator, by an API server that lags behind or by a connection that is cut. */
export class WatchPartitions {
  private readonly faults: readonly PartitionFault[];
  private readonly begun = new Set<PartitionFault>();
  private readonly current = new Set<WatchPartition>();

  constructor(
    faults: readonly SimulationFault[],
    private readonly targets: { readonly server: WorldServer; readonly timeline: Timeline; readonly userAgent: RegExp },
    private readonly onBegin: (fault: SimulationFault) => void,
  ) {
    this.faults = faults.filter((fault) => fault.kind === 'stale' || fault.kind === 'missed-events');
    this.update(0);
  }

  /** Begins and ends the partitions that are due. @param changes the number of changes so far */
  update(changes: number): void {
    for (const partition of this.current) {
      const { untilChange } = partition.fault;
      if (untilChange !== undefined && changes >= untilChange) this.end(partition);
    }
    for (const fault of this.faults) {
      if (fault.fromChange > changes + 1 || this.begun.has(fault)) continue;
      this.begun.add(fault);
      this.onBegin(fault);
      this.current.add(fault.kind === 'stale' ? this.lag(fault) : this.disconnect(fault));
    }
  }

  /** Ends the partitions that last until nothing happens any more. @returns false if there were none */
  onRest(changes: number): boolean {
    const over = [...this.current].filter(
      ({ fault }) => fault.untilChange === undefined && changes >= fault.fromChange,
    );
    for (const partition of over) this.end(partition);
    return over.length > 0;
  }

  /** Ends all partitions, so that the operator sees everything as it is. @returns false if there were none */
  endAll(): boolean {
    const found = [...this.current];
    for (const partition of found) this.end(partition);
    return found.length > 0;
  }

  /** Ends all partitions, and prevents further ones. @returns false if there were none */
  heal(): boolean {
    for (const fault of this.faults) this.begun.add(fault);
    return this.endAll();
  }

  /** Settles when the operator may watch the objects of a resource; absent if it may now. */
  gateOf(resource: string): Promise<void> | undefined {
    for (const { fault, gate } of this.current) if (fault.resource === resource && gate) return gate;
    return undefined;
  }

  /** Disconnects the operator from resources, without a fault. @returns a function that lets it list them: it never sees the states in between */
  hide(resources: Iterable<string>): () => void {
    const hidden = [...resources].map((resource) =>
      this.disconnect({ kind: 'missed-events', resource, fromChange: 0, untilChange: Infinity }),
    );
    for (const each of hidden) this.current.add(each);
    return () => {
      for (const each of hidden) if (this.current.delete(each)) each.release();
    };
  }

  /** Whether changes of a resource are hidden from the operator. */
  isHidden(resource: string): boolean {
    for (const { fault } of this.current) if (fault.resource === resource) return true;
    return false;
  }

  private lag(fault: PartitionFault): WatchPartition {
    const { server, userAgent } = this.targets;
    const lag = server.faults.lag({ resource: fault.resource, userAgent });
    return { fault, release: () => lag.cancel() };
  }

  private disconnect(fault: PartitionFault): WatchPartition {
    const { server, userAgent } = this.targets;
    let open: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    server.faults.damageWatches('cut', { resource: fault.resource, userAgent });
    const release = (): void => {
      server.expireHistory();
      open();
    };
    return { fault, gate, release };
  }

  private end(partition: WatchPartition): void {
    this.current.delete(partition);
    const { fault } = partition;
    this.targets.timeline.note('fault', `over: ${describeFault(fault)}`, { type: 'recovery', fault: fault.kind });
    partition.release();
  }
}
