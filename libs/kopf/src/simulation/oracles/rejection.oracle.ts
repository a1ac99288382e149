import type { Violation } from './violation.js';

type Listener = (reason: unknown) => void;

/** Marks listeners of simulations, of which several can be under way in a process. */
const OWN = Symbol('simulation');

/**
 * Hears of promises that are rejected and that nobody waits for, while a simulation runs. They would end the process of an operator, and
 * fail the whole file of a test: in a simulation, they are findings, so those who listen otherwise do not hear of them.
 */
export class RejectionOracle {
  private readonly found = new Set<string>();
  private others: readonly Listener[] = [];
  private readonly listener = Object.assign((reason: unknown) => this.note(reason), { [OWN]: true });

  begin(): void {
    const listeners = process.listeners('unhandledRejection') as Listener[];
    this.others = listeners.filter((listener) => !(OWN in listener));
    for (const other of this.others) process.off('unhandledRejection', other);
    process.on('unhandledRejection', this.listener);
  }

  end(): void {
    process.off('unhandledRejection', this.listener);
    for (const other of this.others) process.on('unhandledRejection', other);
  }

  /** Returns what was heard since it was asked last. */
  take(): readonly Violation[] {
    const violations = [...this.found].map((text) => ({
      check: 'rejections' as const,
      message: `a promise is rejected that nobody waits for: ${text}`,
    }));
    this.found.clear();
    return violations;
  }

  private note(reason: unknown): void {
    this.found.add(reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason));
  }
}
