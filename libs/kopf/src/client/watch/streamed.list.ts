import { ApiError, WatchStreamError } from '../api/api.errors.js';
import type { Clock, ClockTimer } from 'kube-common';
import type { ObjectMeta } from '../../objects/kube-object.js';

/** The annotation of the bookmark after the objects that were there at the beginning. */
const END_MARK = 'k8s.io/initial-events-end';

/** Gives up waiting for the end of the list after so many milliseconds without any line. */
const LONGEST_SILENCE = 10_000;

/**
 * Limits the duration of a streamed list, in milliseconds: servers that do not know streamed lists would send changes for ever.
 */
const LONGEST_DURATION = 120_000;

/** Checks whether the metadata is that of the bookmark that ends a streamed list. */
export function endsStreamedList({ annotations }: ObjectMeta): boolean {
  return annotations?.[END_MARK] === 'true';
}

/** Says that a server accepts requests for streamed lists, but does not tell where they end. */
export class EndlessListError extends WatchStreamError {
  constructor() {
    super('The server does not tell the end of a streamed list.');
  }
}

/** Lists the status codes of servers that do not know streamed lists, or are configured not to offer them. */
const UNSUPPORTED = new Set([400, 422]);

/** Checks whether a streamed list has failed because the server has none. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof EndlessListError || (error instanceof ApiError && UNSUPPORTED.has(error.status));
}

/** Watches over a streamed list until its end, which servers that do not know such lists never tell. */
export class StreamedList {
  private timer?: ClockTimer;
  private readonly startedAt: number;
  private lastLineAt: number;

  /** @param onEndless called if the end is not to be expected any more. */
  constructor(
    private readonly clock: Clock,
    private readonly onEndless: () => void,
  ) {
    this.startedAt = this.lastLineAt = clock.monotonic();
  }

  /** The server has accepted the request, or has sent something. */
  touch(): void {
    this.lastLineAt = this.clock.monotonic();
    if (!this.timer) this.arm();
  }

  /** The list has ended, or nothing more comes. */
  end(): void {
    this.timer?.cancel();
  }

  private arm(): void {
    const until = Math.min(this.lastLineAt + LONGEST_SILENCE, this.startedAt + LONGEST_DURATION);
    const left = until - this.clock.monotonic();
    if (left > 0) this.timer = this.clock.setTimer(() => this.arm(), left);
    else this.onEndless();
  }
}
