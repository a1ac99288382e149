import { VirtualClock } from '../../testing/virtual.clock.js';

/** Virtual time of a cluster and operators in one process: they wait for promises only, which need no turn of the event loop. */
export class InProcessClock extends VirtualClock {
  override settle(): Promise<void> {
    return new Promise(afterPromises);
  }
}

/** Calls the function when all promises have gone on that can, and what waits for the next tick, as streams do. */
function afterPromises(callback: () => void): void {
  process.nextTick(process.nextTick, callback);
}
