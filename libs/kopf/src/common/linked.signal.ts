import { setMaxListeners } from 'node:events';
import { fenceOf, fenceSignal } from './request.fence.js';

/**
 * A signal that is aborted by its owner, or together with any of its sources. Requests that are made with it pass the fence of its sources.
 *
 * Node.js keeps the signals of `AbortSignal.any()` in a list of the whole process for as long as they have listeners, with everything that
 * waits: an operator that is killed in a test would never be freed. This one is referenced by its sources only, until it is aborted or
 * released.
 */
export class LinkedSignal {
  private readonly controller = new AbortController();
  private readonly links: readonly (readonly [source: AbortSignal, onAbort: () => void])[];

  constructor(...sources: readonly AbortSignal[]) {
    this.links = sources.map((source) => [source, () => this.abort(source.reason)]);
    // Any number of signals can have the same source.
    setMaxListeners(0, ...sources);
    const fence = sources.map(fenceOf).find((each) => each !== undefined);
    if (fence) fenceSignal(this.signal, fence);
    for (const [source, onAbort] of this.links) source.addEventListener('abort', onAbort, { once: true });
    const aborted = sources.find((source) => source.aborted);
    if (aborted) this.abort(aborted.reason);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason?: unknown): void {
    this.release();
    this.controller.abort(reason);
  }

  /** Removes the signal from its sources. */
  release(): void {
    for (const [source, onAbort] of this.links) source.removeEventListener('abort', onAbort);
  }
}
