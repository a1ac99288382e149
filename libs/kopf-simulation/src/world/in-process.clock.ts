import { VirtualClock } from 'nestjs-kopf/testing';

/** The virtual time of a cluster and operators in one process. They wait only for promises, which need no turn of the event loop. */
export class InProcessClock extends VirtualClock {
  override settle(): Promise<void> {
    return new Promise(afterPromises);
  }
}

/** Calls the function when all promises that can have continued, and also what waits for the next tick, as streams do. */
function afterPromises(callback: () => void): void {
  process.nextTick(process.nextTick, callback);
}
