import { VirtualClock } from 'nestjs-kopf/testing';

/** A system beside the operator that takes real time: a cluster. */
export interface OutsideWorld {
  /**
   * Waits until everything that is under way has arrived: answers to requests, and changes at watches.
   *
   * @returns false if nothing was under way
   */
  arrived(): Promise<boolean>;
  /** Waits for a moment, in which the outside system may act on its own. @returns false if it did nothing */
  stirs(): Promise<boolean>;
}

/** The virtual time of an operator on a cluster. It advances only when the cluster owes the operator neither answers nor events. */
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
