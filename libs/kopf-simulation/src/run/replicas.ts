import type { SimulatedOperator } from '../world/simulated.operator.js';

/** All replicas of the operator in a run. */
export class Replicas {
  constructor(private readonly all: readonly SimulatedOperator[]) {}

  /** Whether anything is under way in a replica, or about to be. */
  get isBusy(): boolean {
    return this.all.some((operator) => operator.isBusy);
  }

  /** Whether replicas are busy with the selected objects only. */
  isBusyOnlyWith(isSelected: (uid: string) => boolean): boolean {
    return this.all.every((operator) => operator.isBusyOnlyWith(isSelected));
  }

  /** The longest interval of timers, in seconds; 0 if there are neither timers nor daemons. */
  get interval(): number {
    return Math.max(...this.all.map((operator) => operator.interval));
  }

  /** The time until which daemons and timers are called for the first time, in milliseconds. */
  get firstCallsEnd(): number {
    return Math.max(...this.all.map((operator) => operator.getFirstCallsEnd()));
  }

  /** The resources that the replicas watch. */
  get watched(): ReadonlySet<string> {
    return new Set(this.all.flatMap((operator) => [...operator.watched]));
  }

  /** The names of the replicas, as events have them. */
  get names(): readonly string[] {
    return this.all.map(({ actor }) => actor.name);
  }

  /** The replica that has sent a request; `undefined` if another client has. */
  senderOf(userAgent: string): SimulatedOperator | undefined {
    return this.all.find(({ replica }) => userAgent === `operator-${replica}`);
  }

  start(): void {
    for (const operator of this.all) operator.start();
  }

  /** Makes wall clocks jump. @param replica absent for all of them */
  jumpClock(milliseconds: number, replica?: number): void {
    for (const operator of this.all) {
      if (replica === undefined || operator.replica === replica) operator.jumpClock(milliseconds);
    }
  }

  /** Checks each replica at rest. */
  async checkRest(): Promise<void> {
    for (const operator of this.all) await operator.checkRest();
  }

  /** Stops the replicas. @param isGraceful stops them as by a signal, and checks what they leave, before they are killed */
  async stop(isGraceful: boolean): Promise<void> {
    for (const operator of this.all) {
      if (isGraceful) await operator.stop();
      operator.kill();
    }
  }
}
