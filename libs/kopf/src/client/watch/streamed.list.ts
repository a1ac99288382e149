import { ApiError, WatchStreamError } from '../api/api.errors.js';
import type { Clock, ClockTimer } from 'kube-common';
import type { ObjectMeta } from '../../objects/kube-object.js';

/** The annotation of the bookmark after the existing objects. */
const END_MARK = 'k8s.io/initial-events-end';

/** The milliseconds without any line after which the end of the list is not waited for any longer. */
const LONGEST_SILENCE = 10_000;

/** The longest duration of a streamed list, in milliseconds: servers without streamed lists would send changes endlessly. */
const LONGEST_DURATION = 120_000;

/** Whether the metadata belong to the bookmark that ends a streamed list. */
export function endsStreamedList({ annotations }: ObjectMeta): boolean {
  return annotations?.[END_MARK] === 'true';
}

/** The error of a server that accepts requests for streamed lists, but does not mark their ends. */
export class EndlessListError extends WatchStreamError {
  constructor() {
    super('The server does not tell the end of a streamed list.');
  }
}

/** The status codes of servers without streamed lists, or with streamed lists disabled. */
const UNSUPPORTED = new Set([400, 422]);

/** Whether a streamed list has failed because the server does not have streamed lists. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof EndlessListError || (error instanceof ApiError && UNSUPPORTED.has(error.status));
}

/** The supervision of a streamed list until its end, which servers without streamed lists do not mark. */
export class StreamedList {
  private timer?: ClockTimer;
  private readonly startedAt: number;
  private lastLineAt: number;

  /** @param onEndless called if the end is not expected any more */
  constructor(
    private readonly clock: Clock,
    private readonly onEndless: () => void,
  ) {
    this.startedAt = this.lastLineAt = clock.monotonic();
  }

  /** Called when the server has accepted the request, or has sent a line. */
  touch(): void {
    this.lastLineAt = this.clock.monotonic();
    if (!this.timer) this.arm();
  }

  /** Called when the list has ended, or when no more lines come. */
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
