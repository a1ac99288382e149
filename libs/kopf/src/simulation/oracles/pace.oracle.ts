import type { Clock, KubeRequest } from 'kube-common';
import type { Violation } from './violation.js';

/** Limits the changes that an operator makes of one object in a minute of virtual time, unless the options say otherwise. */
const MINUTE_LIMIT = 120;
/** Limits the writes that an operator makes while no time passes. */
const INSTANT_LIMIT = 300;

const EVENTS = /\/events(\?|$)/;

/** Finds operators that write again and again: a hot loop. */
export class PaceOracle {
  private readonly pace = new Map<string, { minute: number; count: number }>();
  private instant = { now: -1, count: 0 };
  private busiest?: string;

  /** @param limit the number of changes of one object in a minute beyond which they are a loop */
  constructor(
    private readonly clock: Clock,
    private readonly limit = MINUTE_LIMIT,
  ) {}

  /** Is true if so much was written at one time that there is no end of it. */
  get isLooping(): boolean {
    return this.instant.count > INSTANT_LIMIT && this.instant.now === this.clock.monotonic();
  }

  get violations(): readonly Violation[] {
    return this.busiest === undefined
      ? []
      : [{ check: 'hot-loop', message: `the operator writes again and again: ${this.busiest}` }];
  }

  /** Notes a write that has changed something. */
  note({ path }: KubeRequest): void {
    const now = this.clock.monotonic();
    this.instant = { now, count: this.instant.now === now ? this.instant.count + 1 : 1 };
    // Events are held back while the API server is away, and come all at once: whatever they tell of writes more than them.
    if (EVENTS.test(path)) return;
    const object = path.replace(/(\/status)?(\?.*)?$/, '');
    const minute = Math.floor(now / 60_000);
    const measured = this.pace.get(object);
    const count = measured?.minute === minute ? measured.count + 1 : 1;
    this.pace.set(object, { minute, count });
    if (count > this.limit) this.busiest ??= object;
  }
}
