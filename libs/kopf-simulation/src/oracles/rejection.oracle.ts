import type { Violation } from './violation.js';

type Listener = (reason: unknown) => void;

/** Marks the listeners of simulations, as several simulations can run in a process. */
const OWN = Symbol('simulation');

/**
 * Collects unhandled promise rejections while a simulation runs. They would end the process of an operator, and fail a whole test file. In a
 * simulation they are findings, so other listeners do not get them.
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

  /** Returns the rejections since the last call. */
  take(): readonly Violation[] {
    const violations = [...this.found].map((text) => ({
      check: 'rejections' as const,
      message: `a promise is rejected without a handler: ${text}`,
    }));
    this.found.clear();
    return violations;
  }

  private note(reason: unknown): void {
    this.found.add(reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason));
  }
}
