import { ReviewNotReadyError } from '../../execution/handler.errors.js';
import type { IndexFreshness, MissingData } from '../../indexing/index.freshness.js';

/**
 * Observes what the handlers of one review read, as far as this replica of the operator may not have it: a review that reads
 * nothing of it is answered at once, on any replica and at any time.
 */
export class ReviewReads {
  private found?: MissingData & { readonly error: ReviewNotReadyError };

  constructor(private readonly freshness: IndexFreshness) {}

  /** What was read in vain first; `undefined` if everything that was read was there. */
  get missing(): (MissingData & { readonly error: ReviewNotReadyError }) | undefined {
    return this.found;
  }

  /** @throws ReviewNotReadyError if the index is not up to date. */
  readonly onIndexRead = (name: string): void => {
    const missing = this.freshness.findMissing(name);
    if (missing) this.fail(missing, `The index '${name}' cannot be relied on`);
  };

  /** Creates the memo of an object that this replica has none of. It throws a {@link ReviewNotReadyError} when it is read, and when it is written. */
  createMissingMemo(missing: MissingData): object {
    const fail = (): never => this.fail(missing, 'The memo of the object cannot be read');
    return new Proxy(
      {},
      {
        // What waits for the memo itself does not read it.
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
