import { ReviewNotReadyError } from '../../execution/handler.errors.js';
import type { IndexFreshness, MissingData } from '../../indexing/index.freshness.js';

/**
 * The reads of data by the handlers of one review that this replica may lack: indices and memos. A review without such reads is answered at
 * once, on any replica and at any time.
 */
export class ReviewReads {
  private found?: MissingData & { readonly error: ReviewNotReadyError };

  constructor(private readonly freshness: IndexFreshness) {}

  /** The first data that was read and is missing; `undefined` if no data was missing. */
  get missing(): (MissingData & { readonly error: ReviewNotReadyError }) | undefined {
    return this.found;
  }

  /** @throws ReviewNotReadyError if the index is not up to date. */
  readonly onIndexRead = (name: string): void => {
    const missing = this.freshness.findMissing(name);
    if (missing) this.fail(missing, `The index '${name}' cannot be relied on`);
  };

  /** Creates a memo in the place of a missing one. It throws a {@link ReviewNotReadyError} when it is read or written. */
  createMissingMemo(missing: MissingData): object {
    const fail = (): never => this.fail(missing, 'The memo of the object cannot be read');
    return new Proxy(
      {},
      {
        // `await` on the memo itself reads `then`, and is no read of data.
        get: (_target, name) => (name === 'then' ? undefined : fail()),
        set: fail,
        has: fail,
        ownKeys: fail,
        deleteProperty: fail,
        defineProperty: fail,
        getOwnPropertyDescriptor: fail,
        getPrototypeOf: fail,
      },
    );
  }

  private fail(missing: MissingData, what: string): never {
    const error = new ReviewNotReadyError(`${what}: ${missing.reason}. Try again.`);
    this.found ??= { ...missing, error };
    throw error;
  }
}
