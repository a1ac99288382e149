import { ApiError, get } from '../api/api.client.js';
import type { ConsoleStreamTopic } from '../api/api.types.js';
import { Store } from '../platform/store.js';

/** An answer of the server, as far as it is known. */
export interface Answer<T> {
  /** The last answer, also while the next one is on its way, or has failed. */
  readonly data?: T;
  readonly error?: ApiError;
  readonly loading: boolean;
}

/** The most answers that are kept though no screen shows them, for going back at once. */
const KEPT = 30;

/** One answer, which is asked for again whenever its topics have changed: at once, but never twice at a time. */
export class LiveAnswer<T> {
  readonly answer = new Store<Answer<T>>({ loading: true });
  viewers = 0;
  private asking: AbortController | undefined;
  private again = false;

  constructor(
    private readonly path: string,
    readonly topics: readonly ConsoleStreamTopic[],
  ) {}

  /** Requests the answer; if it is loading, once more afterwards. */
  refresh(): void {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.again = false;
    const asking = new AbortController();
    this.asking = asking;
    void this.ask(asking.signal).finally(() => {
      this.asking = undefined;
      if (this.again && this.viewers > 0) this.refresh();
    });
  }

  /** Aborts a request whose answer no component waits for. */
  abandon(): void {
    this.asking?.abort();
  }

  private async ask(signal: AbortSignal): Promise<void> {
    this.answer.update((answer) => ({ ...answer, loading: true }));
    try {
      this.answer.set({ data: await get<T>(this.path, signal), loading: false });
    } catch (error) {
      if (signal.aborted) this.answer.update(({ data, error: earlier }) => ({ data, error: earlier, loading: false }));
      else this.answer.update(({ data }) => ({ data, error: toApiError(error), loading: false }));
    }
  }
}

function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(String(error), 0);
}

/** All answers that are shown, and the last ones that were. */
export class AnswerCache {
  private readonly answers = new Map<string, LiveAnswer<unknown>>();

  /** Finds the answer of a path, or begins to ask for it. */
  open<T>(path: string, topics: readonly ConsoleStreamTopic[]): LiveAnswer<T> {
    const known = this.answers.get(path) as LiveAnswer<T> | undefined;
    if (known) {
      // The ones used last are at the end, and dropped last.
      this.answers.delete(path);
      this.answers.set(path, known as LiveAnswer<unknown>);
      return known;
    }
    const answer = new LiveAnswer<T>(path, topics);
    this.answers.set(path, answer as LiveAnswer<unknown>);
    this.drop();
    return answer;
  }

  /** Requests the answers again that are shown and have changed; others are requested when they are shown again. */
  invalidate(topics: readonly ConsoleStreamTopic[] | 'all'): void {
    for (const answer of this.answers.values()) {
      if (answer.viewers === 0) continue;
      if (topics === 'all' || answer.topics.some((topic) => topics.includes(topic))) answer.refresh();
    }
  }

  private drop(): void {
    for (const [path, answer] of this.answers) {
      if (this.answers.size <= KEPT) return;
      if (answer.viewers === 0) this.answers.delete(path);
    }
  }
}

export const answers = new AnswerCache();
