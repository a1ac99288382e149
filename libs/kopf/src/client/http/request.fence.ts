/**
 * Decides right before a request is written whether it can be sent still: the operator may have lost its leadership
 * while the request waited for its budget, its credentials, its next attempt, or a connection.
 */
export interface RequestFence {
  /** Allows requests to be sent now. It looks at the clock, as timers can be late. */
  readonly isOpen: boolean;
  /** Resolves when it is known whether requests can be sent; absent if it is known already. Never rejects. */
  readonly pending: Promise<void> | undefined;
  /** The reason with which requests are rejected that cannot be sent any more. */
  readonly reason: Error;
}

/** Thrown by transports for a request that has met a closed fence. It was not sent, so it can be sent again. */
export class FencedRequestError extends Error {
  constructor() {
    super('The request was not sent: the leadership has to be confirmed first.');
  }
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
