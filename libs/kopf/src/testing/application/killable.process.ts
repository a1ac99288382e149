import { setMaxListeners } from 'node:events';
import type { Clock, ClockTimer, KubeRequest, KubeResponse, KubeTransport } from 'kube-common';
import { LinkedSignal } from '../../common/linked.signal.js';
import { neverSettled } from '../time/unsettled.promise.js';

/**
 * The simulated process of an operator under test: when it is killed, its time stands still, and its requests and watches end. What it was
 * about to do is never done, and its code is not informed.
 */
export class KillableProcess implements Clock {
  private readonly timers = new Set<ClockTimer>();
  private readonly controller = new AbortController();

  constructor(private readonly clock: Clock) {
    // Any number of requests can end with it.
    setMaxListeners(0, this.controller.signal);
  }

  get isDead(): boolean {
    return this.controller.signal.aborted;
  }

  /** The number of timers that wait. */
  get timersLeft(): number {
    return this.timers.size;
  }

  kill(): void {
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    this.controller.abort(new Error('The process was killed.'));
  }

  /** Calls the function when the process is killed. */
  onKill(listener: () => void): void {
    this.controller.signal.addEventListener('abort', listener, { once: true });
  }

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    if (this.isDead) return { cancel: () => undefined };
    const timer = this.clock.setTimer(() => {
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

  /** Makes a way to the API server that ends with the process. */
  connect(transport: KubeTransport): KubeTransport {
    return {
      request: (request) => this.request(transport, request),
      close: () => (this.isDead ? neverSettled() : transport.close()),
    };
  }

  /** Passes a result on if the process is still alive; otherwise it never comes. */
  private async survive<T>(promise: Promise<T>): Promise<T> {
    try {
      const result = await promise;
      return this.isDead ? neverSettled() : result;
    } catch (error) {
      if (this.isDead) return neverSettled();
      throw error;
    }
  }

  private async request(transport: KubeTransport, request: KubeRequest): Promise<KubeResponse> {
    if (this.isDead) return neverSettled();
    const { signal } = this.controller;
    // Most requests have no own signal, and end with the process only.
    const ending = request.signal && new LinkedSignal(signal, request.signal);
    try {
      const response = await this.survive(transport.request({ ...request, signal: ending?.signal ?? signal }));
      return {
        status: response.status,
        headers: response.headers,
        text: () => this.readText(response, ending),
        chunks: () => this.read(response, ending),
      };
    } catch (error) {
      ending?.release();
      throw error;
    }
  }

  private async readText(response: KubeResponse, ending?: LinkedSignal): Promise<string> {
    try {
      return await this.survive(Promise.resolve(response.text()));
    } finally {
      ending?.release();
    }
  }

  private async *read(response: KubeResponse, ending?: LinkedSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = response.chunks()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.survive(chunks.next());
        if (done) return;
        yield value;
      }
    } finally {
      ending?.release();
      await chunks.return?.();
    }
  }
}
