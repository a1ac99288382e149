import { setMaxListeners } from 'node:events';
import { RequestTimeoutError } from './api.errors.js';
import type { Clock } from 'kube-common';

/** The limits of one request with its response. */
export interface TimeoutOptions {
  /** Seconds; `null` for no limit. */
  readonly timeout: number | null;
  readonly signal?: AbortSignal;
  /** Whether the work is aborted when the time is over. Otherwise it continues, and is only not waited for. */
  readonly aborts?: boolean;
  /** The request, for the error. */
  readonly what: string;
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
      // Many requests may share one signal.
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
