import type { Clock, ClockTimer, KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';

/** Where a write request is when the operator is killed. */
export type WritePhase = 'before' | 'after';

/** Looks at each write request before it is sent and after it was answered; it may kill the operator there. */
export type WriteWatch = (phase: WritePhase) => void;

const NEVER = new Promise<never>(() => undefined);

/**
 * The transport and the clock of an operator's process that can be killed, within this process.
 *
 * When it is killed, nothing of it reaches the cluster any more, nothing reaches it, and its timers never fire:
 * what was under way stands still for ever, as in a process that is not there.
 */
export class KillableProcess {
  readonly clock: Clock;
  readonly transport: KubeTransport;
  private readonly timers = new Set<ClockTimer>();
  private readonly death = new AbortController();

  constructor(
    private readonly time: Clock,
    private readonly cluster: KubeTransport,
    private readonly onWrite: WriteWatch = () => undefined,
  ) {
    this.clock = {
      now: () => time.now(),
      monotonic: () => time.monotonic(),
      setTimer: (callback, milliseconds) => this.setTimer(callback, milliseconds),
    };
    this.transport = { request: (request) => this.request(request), close: () => Promise.resolve() };
  }

  get alive(): boolean {
    return !this.death.signal.aborted;
  }

  kill(): void {
    this.death.abort(new Error('The operator was killed'));
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
  }

  private setTimer(callback: () => void, milliseconds: number): ClockTimer {
    if (!this.alive) return { cancel: () => undefined };
    const timer = this.time.setTimer(() => {
      this.timers.delete(timer);
      callback();
    }, milliseconds);
    this.timers.add(timer);
    return {
      cancel: () => {
        this.timers.delete(timer);
        timer.cancel();
      },
    };
  }

  private async request(request: KubeRequest): Promise<KubeResponse> {
    const isWrite = request.method !== 'GET';
    if (this.alive && isWrite) this.onWrite('before');
    if (!this.alive) return NEVER;
    const signals = request.signal ? [request.signal, this.death.signal] : [this.death.signal];
    const response = await this.whileAlive(this.cluster.request({ ...request, signal: AbortSignal.any(signals) }));
    if (isWrite) this.onWrite('after');
    if (!this.alive) return NEVER;
    return {
      status: response.status,
      headers: response.headers,
      text: () => this.whileAlive(response.text()),
      chunks: () => this.chunksWhileAlive(response.chunks()),
    };
  }

  private async *chunksWhileAlive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.whileAlive(iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** Holds back results and errors that come after the process was killed. */
  private async whileAlive<T>(result: Promise<T>): Promise<T> {
    try {
      const value = await result;
      return this.alive ? value : await NEVER;
    } catch (error) {
      if (!this.alive) return NEVER;
      throw error;
    }
  }
}
