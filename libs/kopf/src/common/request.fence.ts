/**
 * The decision, right before a request is written, whether it can still be sent: the operator may have lost its leadership while the
 * request waited for its budget, its credentials, its next attempt, or a connection.
 */
export interface RequestFence {
  /** Whether requests can be sent now. The getter reads the clock, as timers can be late. */
  readonly isOpen: boolean;
  /** Resolves when it is known whether requests can be sent; absent if it is known already. Never rejects. */
  readonly pending: Promise<void> | undefined;
  /** The reason with which requests are rejected that can no longer be sent. */
  readonly reason: Error;
}

/**
 * Waits until the fence is open.
 *
 * @throws the fence's reason if it stays closed.
 */
export async function passFence(fence: RequestFence): Promise<void> {
  await fence.pending;
  if (!fence.isOpen) throw fence.reason;
}

const fences = new WeakMap<AbortSignal, RequestFence>();

/**
 * Sets the fence of all requests that are made with the signal. A signal alone can be late: a suspended process can continue with an answer
 * before the timer that aborts the signal.
 */
export function fenceSignal(signal: AbortSignal, fence: RequestFence): void {
  fences.set(signal, fence);
}

/** Finds the fence of the requests that are made with the signal. */
export function fenceOf(signal: AbortSignal): RequestFence | undefined {
  return fences.get(signal);
}
