/** Keeps books of the daemons and timers that run, by instances of the operator. */
export class BackgroundLog {
  readonly violations: string[] = [];
  private readonly running = new Map<
    string,
    { readonly instance: number; readonly uid: string; readonly id: string }
  >();
  private readonly ended = new Set<string>();
  private readonly invocations = new Map<string, number>();

  started(instance: number, uid: string, id: string): void {
    const key = `${instance} ${uid} ${id}`;
    if (this.running.has(key)) this.violations.push(`daemons: ${id} runs twice for ${uid}`);
    if (this.ended.has(key))
      this.violations.push(`daemons: ${id} is started again for ${uid} after it had ended on its own`);
    this.running.set(key, { instance, uid, id });
  }

  /** @param onItsOwn whether it was not asked to stop, so that it is not started again */
  stopped(instance: number, uid: string, id: string, onItsOwn: boolean): void {
    const key = `${instance} ${uid} ${id}`;
    this.running.delete(key);
    if (onItsOwn) this.ended.add(key);
  }

  invoked(instance: number, uid: string, id: string, now: number): void {
    this.invocations.set(`${instance} ${uid} ${id}`, now);
  }

  /** The objects that the daemon runs for, in an instance. */
  runningFor(instance: number, id: string): readonly string[] {
    return [...this.running.values()].filter((run) => run.instance === instance && run.id === id).map(({ uid }) => uid);
  }

  /** The objects that the timer was invoked for since a time, in an instance. */
  invokedFor(instance: number, id: string, since: number): readonly string[] {
    return [...this.invocations]
      .map(([key, at]) => ({ parts: key.split(' '), at }))
      .filter(({ parts, at }) => Number(parts[0]) === instance && parts[2] === id && at >= since)
      .map(({ parts }) => parts[1]!);
  }
}
