import { setMaxListeners } from 'node:events';
import { RequestTimeoutError } from './api.errors.js';
import type { Clock } from 'kube-common';

/** Limits of one exchange. */
export interface TimeoutOptions {
  /** Seconds; `null` for no limit. */
  readonly timeout: number | null;
  readonly signal?: AbortSignal;
  /** Aborts the work itself when the time is over; otherwise it goes on, and is only not waited for. */
  readonly aborts?: boolean;
  /** Names the request in the error. */
  readonly what: string;
}

/**
 * Runs `work`, and does not wait for it any longer when the time is over or the signal is aborted.
 *
 * The work gets a signal only if it is asked for or there is an outer one: signals make small requests half as slow again.
 * In any case it can ask whether it has been given up.
 *
 * @throws RequestTimeoutError when the time is over, or the outer signal's reason.
 */
export function withTimeout<T>(
  clock: Clock,
  options: TimeoutOptions,
  work: (signal: AbortSignal | undefined, isGivenUp: () => boolean) => Promise<T>,
): Promise<T> {
  const { timeout, signal, aborts } = options;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const controller = signal || aborts ? new AbortController() : undefined;
    let isOver = false;
    const stop = (reason: unknown): void => {
      isOver = true;
      reject(reason);
      controller?.abort(reason);
    };
    const onAbort = (): void => stop(signal?.reason);
    const onTimeout = (): void => stop(new RequestTimeoutError(`${options.what}: no answer within ${timeout} seconds`));
    const timer = timeout === null ? undefined : clock.setTimer(onTimeout, timeout * 1000);
    if (signal) {
      // One signal for very many requests is fine.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    const finish = (): void => {
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
    };
    work(controller?.signal, () => isOver).then(
      (result) => {
        finish();
        resolve(result);
      },
      (error: unknown) => {
        finish();
        reject(error);
      },
    );
  });
}
