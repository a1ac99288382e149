const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops the program once when its terminal or its parent wants it to end, and exits then. Further signals change nothing: of one Ctrl-C
 * a program under npm hears twice, from the terminal and from npm.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const onSignal = (): void => {
    stopping ??= stop().then(
      () => process.exit(),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
