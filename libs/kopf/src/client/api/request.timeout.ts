import { setMaxListeners } from 'node:events';
import { RequestTimeoutError } from './api.errors.js';
import type { Clock, ClockTimer } from 'kube-common';

/** The limits of one request with its response. */
export interface TimeoutOptions {
  /** Seconds; `null` for no limit. */
  readonly timeout: number | null;
  readonly signal?: AbortSignal;
  /** Whether the work is aborted when the time is over. Otherwise it continues, and is only not waited for. */
  readonly aborts?: boolean;
  /** The method and the path of the request, for the error. */
  readonly method: string;
  readonly path: string;
}

/** Whether work was given up, as its time was over or its signal was aborted. */
export interface GivenUp {
  readonly isGivenUp: boolean;
}

/**
 * Runs `work`, and stops waiting for it when the time is over or the signal is aborted.
 *
 * The work gets a signal only if it is requested, or if there is an outer one, as signals make small requests half as slow again. In any
 * case, the work can check whether it was given up.
 *
 * @throws RequestTimeoutError when the time is over, or the reason of the outer signal.
 */
export function withTimeout<T>(
  clock: Clock,
  options: TimeoutOptions,
  work: (signal: AbortSignal | undefined, state: GivenUp) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => new LimitedWork(clock, options, resolve, reject).run(work));
}

/** Work with its limits. It is an object instead of closures, as there is one for each request. */
class LimitedWork<T> implements GivenUp {
  isGivenUp = false;
  private readonly controller?: AbortController;
  private readonly timer?: ClockTimer;
  private readonly onAbort?: () => void;

  constructor(
    clock: Clock,
    private readonly options: TimeoutOptions,
    private readonly resolve: (result: T) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    const { timeout, signal, aborts } = options;
    if (signal || aborts) this.controller = new AbortController();
    if (timeout !== null) this.timer = clock.setTimer(() => this.onTimeout(timeout), timeout * 1000);
    if (!signal) return;
    this.onAbort = () => this.giveUp(signal.reason);
    // Many requests may share one signal.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  run(work: (signal: AbortSignal | undefined, state: GivenUp) => Promise<T>): void {
    work(this.controller?.signal, this).then(
      (result) => {
        this.release();
        this.resolve(result);
      },
      (error: unknown) => {
        this.release();
        this.reject(error);
      },
    );
  }

  private onTimeout(seconds: number): void {
    const { method, path } = this.options;
    this.giveUp(new RequestTimeoutError(`${describeRequest(method, path)}: no answer within ${seconds} seconds`));
  }

  private giveUp(reason: unknown): void {
    this.isGivenUp = true;
    this.reject(reason);
    this.controller?.abort(reason);
  }

  private release(): void {
    this.timer?.cancel();
    if (this.onAbort) this.options.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** Describes a request without its query, as queries can contain page tokens of hundreds of characters. */
export function describeRequest(method: string, path: string): string {
  const query = path.indexOf('?');
  return `${method} ${query < 0 ? path : path.slice(0, query)}`;
}
