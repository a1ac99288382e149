import type { SimulationFault } from '../simulation.plan.js';
import { describeFault } from '../simulation.plan.js';
import type { Timeline } from './timeline.js';
import type { WorldServer } from './world.server.js';

/** A fault that keeps the operator from seeing what happens. */
type BlindingFault = SimulationFault & { readonly kind: 'stale' | 'skip' };

/** A time in which the operator is kept from seeing what happens. */
interface Blindness {
  readonly fault: BlindingFault;
  /** Settles when the operator may read again; absent if it may read, from a server that is behind. */
  readonly gate?: Promise<void>;
  release(): void;
}

/** Keeps the operator from seeing changes: by an API server that is behind, or by a connection that is gone meanwhile. */
export class Blindnesses {
  private readonly faults: readonly BlindingFault[];
  private readonly begun = new Set<BlindingFault>();
  private readonly current = new Set<Blindness>();

  constructor(
    faults: readonly SimulationFault[],
    private readonly targets: { readonly server: WorldServer; readonly timeline: Timeline; readonly userAgent: RegExp },
    private readonly onBegin: (fault: SimulationFault) => void,
  ) {
    this.faults = faults.filter((fault) => fault.kind === 'stale' || fault.kind === 'skip');
    this.update(0);
  }

  /** Begins and ends what is due. @param changes the number of changes so far */
  update(changes: number): void {
    for (const blindness of this.current) {
      const { untilChange } = blindness.fault;
      if (untilChange !== undefined && changes >= untilChange) this.end(blindness);
    }
    for (const fault of this.faults) {
      if (fault.fromChange > changes + 1 || this.begun.has(fault)) continue;
      this.begun.add(fault);
      this.onBegin(fault);
      this.current.add(fault.kind === 'stale' ? this.lag(fault) : this.disconnect(fault));
    }
  }

  /** Ends what lasts until nothing happens any more. @returns false if there was nothing */
  onRest(changes: number): boolean {
    const over = [...this.current].filter(
      ({ fault }) => fault.untilChange === undefined && changes >= fault.fromChange,
    );
    for (const blindness of over) this.end(blindness);
    return over.length > 0;
  }

  /** Ends all, so that the operator sees everything as it is. @returns false if there was none */
  endAll(): boolean {
    const found = [...this.current];
    for (const blindness of found) this.end(blindness);
    return found.length > 0;
  }

  /** Ends all, and begins none any more. @returns false if there was none */
  heal(): boolean {
    for (const fault of this.faults) this.begun.add(fault);
    return this.endAll();
  }

  /** Settles when the operator may read the objects of a resource; absent if it may now. */
  gateOf(resource: string): Promise<void> | undefined {
    for (const { fault, gate } of this.current) if (fault.resource === resource && gate) return gate;
    return undefined;
  }

  /** Disconnects the operator from resources, which is no fault. @returns what lets it list them: it never sees what was in between */
  hide(resources: Iterable<string>): () => void {
    const hidden = [...resources].map((resource) =>
      this.disconnect({ kind: 'skip', resource, fromChange: 0, untilChange: Infinity }),
    );
    for (const each of hidden) this.current.add(each);
    return () => {
      for (const each of hidden) if (this.current.delete(each)) each.release();
    };
  }

  /** Tells whether the operator does not see changes of a resource. */
  isHidden(resource: string): boolean {
    for (const { fault } of this.current) if (fault.resource === resource) return true;
    return false;
  }

  private lag(fault: BlindingFault): Blindness {
    const { server, userAgent } = this.targets;
    const lag = server.faults.lag({ resource: fault.resource, userAgent });
    return { fault, release: () => lag.cancel() };
  }

  private disconnect(fault: BlindingFault): Blindness {
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

  private end(blindness: Blindness): void {
    this.current.delete(blindness);
    const { fault } = blindness;
    this.targets.timeline.note('fault', `over: ${describeFault(fault)}`, { type: 'recovery', fault: fault.kind });
    blindness.release();
  }
}
