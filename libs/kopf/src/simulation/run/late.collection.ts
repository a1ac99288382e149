import { SeededRandom } from 'kube-common';
import type { SimulationFault } from '../simulation.plan.js';

type CollectionFault = SimulationFault & { readonly kind: 'late-collection' };

/** The longest delays in seconds, of which one is drawn for each object: some are short, so that orders differ. */
const LIMITS = [0.02, 0.5, 5];

/** Delays the garbage collector while a fault says so: each object by a time of its own, as the queues of real ones do. */
export class LateCollection {
  private readonly random: SeededRandom;
  private fault?: CollectionFault;

  /** @param onDelay is told of the fault when it delays something. */
  constructor(
    seed: number,
    private readonly onDelay: (fault: CollectionFault) => void,
  ) {
    this.random = new SeededRandom(seed);
  }

  begin(fault: CollectionFault): void {
    this.fault = fault;
  }

  /** Delays nothing any more; the collector still gets to what was delayed when its time has come. */
  end(): void {
    this.fault = undefined;
  }

  /** The seconds after which the collector gets to the next object; 0 for at once. */
  delay(): number {
    if (!this.fault) return 0;
    this.onDelay(this.fault);
    const limit = LIMITS[Math.floor(this.random.next() * LIMITS.length)]!;
    return this.random.next() * limit;
  }
}
