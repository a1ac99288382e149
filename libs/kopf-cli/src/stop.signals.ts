import type { CliEnvironment } from './cli.environment.js';

/**
 * The signals that end a command which runs until then: the first lets it finish what it does, the second ends the process at
 * once, with the code that shells give to the signal.
 */
export class StopSignals {
  readonly first: Promise<NodeJS.Signals>;
  readonly release: () => void;
  private resolve: (signal: NodeJS.Signals) => void = () => undefined;
  private count = 0;

  /** @param onSecond is called before the process is ended. */
  constructor(
    private readonly environment: Pick<CliEnvironment, 'onSignal' | 'exit' | 'stderr'>,
    private readonly onSecond: () => void | Promise<void> = () => undefined,
  ) {
    this.first = new Promise((resolve) => (this.resolve = resolve));
    this.release = environment.onSignal((signal) => this.take(signal));
  }

  /** Handles the signal, which may have been a key. */
  take(signal: NodeJS.Signals): void {
    this.count += 1;
    if (this.count === 1) return this.resolve(signal);
    if (this.count > 2) return;
    const { environment } = this;
    environment.stderr.write(`Stopped by a second ${signal}: the next operator may repeat what was begun.\n`);
    void Promise.resolve(this.onSecond()).finally(() => environment.exit(signal === 'SIGINT' ? 130 : 143));
  }
}
