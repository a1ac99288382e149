import { SeededRandom } from 'kube-common';
import type { SimulationFault } from '../simulation.plan.js';

type CollectionFault = SimulationFault & { readonly kind: 'late-collection' };

/** The delays in seconds, of which one is drawn for each object. Some are short, so that the order differs. */
const LIMITS = [0.02, 0.5, 5];

/** Delays the garbage collector during a fault: each object by another time, as the queues of a real one do. */
export class LateCollection {
  private readonly random: SeededRandom;
  private fault?: CollectionFault;

  /** @param onDelay called with the fault when it delays an object */
  constructor(
    seed: number,
    private readonly onDelay: (fault: CollectionFault) => void,
  ) {
    this.random = new SeededRandom(seed);
  }

  begin(fault: CollectionFault): void {
    this.fault = fault;
  }

  /** Ends the fault. Objects that are delayed already are still handled at their time. */
  end(): void {
    this.fault = undefined;
  }

  /** The seconds after which the collector handles the next object; 0 for at once. */
  delay(): number {
    if (!this.fault) return 0;
    this.onDelay(this.fault);
    const limit = LIMITS[Math.floor(this.random.next() * LIMITS.length)]!;
    return this.random.next() * limit;
  }
}
