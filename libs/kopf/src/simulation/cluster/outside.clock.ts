import { VirtualClock } from '../../testing/virtual.clock.js';

/** Something beside the operator that takes real time: a cluster. */
export interface OutsideWorld {
  /**
   * Waits until everything has arrived that is under way: the answers to requests, and changes at those who watch.
   *
   * @returns false if there was nothing to wait for
   */
  arrived(): Promise<boolean>;
  /** Waits for a moment in which others could do something on their own. @returns false if they did nothing */
  stirs(): Promise<boolean>;
}

/** Virtual time of an operator on a cluster: it goes on only when the cluster owes the operator nothing. */
export class OutsideClock extends VirtualClock {
  constructor(
    epoch: number,
    readonly outside: OutsideWorld,
  ) {
    super(epoch);
  }

  override async settle(turns?: number): Promise<void> {
    do await super.settle(turns);
    while (await this.outside.arrived());
  }
}
