import type { Clock } from 'kube-common';
import type { CliEnvironment } from './cli.environment.js';

/** Milliseconds between two pictures, as a terminal over a network is slow. */
const INTERVAL = 100;
/** Milliseconds before the first picture: what is done by then needs none. */
const PATIENCE = 500;
const WIDTH = 30;

/** The sequence that erases the line of the terminal. */
const ERASE = '\r\u001B[K';

/** The progress of a command, in one line of the standard error, if that is a terminal, and if it takes long. */
export class ProgressBar {
  private readonly clock: Clock;
  private readonly begun: number;
  private shown?: number;
  private count = 0;

  /** @param what the name of what is counted: `objects`. @param total absent if the number is not known. */
  constructor(
    private readonly environment: Pick<CliEnvironment, 'stderr' | 'clock'>,
    private readonly what: string,
    private readonly total?: number,
  ) {
    this.clock = environment.clock;
    this.begun = this.clock.monotonic();
  }

  /** Counts one more. */
  step(): void {
    this.count += 1;
    const { stderr } = this.environment;
    if (!stderr.isTTY) return;
    const now = this.clock.monotonic();
    if (this.shown === undefined ? now - this.begun < PATIENCE : now - this.shown < INTERVAL) return;
    this.shown = now;
    stderr.write(`${ERASE}${this.draw(now)}`);
  }

  /** Writes a line above the progress that stays, also if there is no terminal. */
  note(text: string): void {
    const { stderr } = this.environment;
    stderr.write(this.shown === undefined ? `${text}\n` : `${ERASE}${text}\n`);
  }

  /** Erases the line. */
  close(): void {
    if (this.shown !== undefined) this.environment.stderr.write(ERASE);
    this.shown = undefined;
  }

  private draw(now: number): string {
    const { count, total, what } = this;
    if (!total) return `${count} ${what}`;
    const share = Math.min(1, count / total);
    const filled = Math.round(share * WIDTH);
    const left = Math.ceil(((now - this.begun) / 1000) * (1 / share - 1));
    const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
    return `[${bar}] ${count} of ${total} ${what}, ${left} s left`;
  }
}
