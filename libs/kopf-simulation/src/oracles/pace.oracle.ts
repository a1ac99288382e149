import type { Clock, KubeRequest } from 'kube-common';
import type { Violation } from './violation.js';

/** The most changes of one object by the operator in a minute of virtual time, unless the options set another limit. */
const MINUTE_LIMIT = 120;
/** The most writes by the operator while no time passes. */
const INSTANT_LIMIT = 300;

const EVENTS = /\/events(\?|$)/;

/** Finds hot loops: operators that write again and again. */
export class PaceOracle {
  private readonly pace = new Map<string, { minute: number; count: number }>();
  private instant = { now: -1, count: 0 };
  private busiest?: string;

  /** @param limit the most changes of one object in a minute; more are a loop */
  constructor(
    private readonly clock: Clock,
    private readonly limit = MINUTE_LIMIT,
  ) {}

  /** Whether so many writes were sent without any time passing that they would never end. */
  get isLooping(): boolean {
    return this.instant.count > INSTANT_LIMIT && this.instant.now === this.clock.monotonic();
  }

  /** Whether an object was changed too often in a minute so far. */
  get isExceeded(): boolean {
    return this.busiest !== undefined;
  }

  get violations(): readonly Violation[] {
    return this.busiest === undefined
      ? []
      : [{ check: 'hot-loop', message: `the operator writes again and again: ${this.busiest}` }];
  }

  /** Records a write that has changed something. */
  note({ path }: KubeRequest): void {
    const now = this.clock.monotonic();
    this.instant = { now, count: this.instant.now === now ? this.instant.count + 1 : 1 };
    // Events are delayed while the API server is unreachable, and arrive all at once, each with writes of its own.
    if (EVENTS.test(path)) return;
    const object = path.replace(/(\/status)?(\?.*)?$/, '');
    const minute = Math.floor(now / 60_000);
    const measured = this.pace.get(object);
    const count = measured?.minute === minute ? measured.count + 1 : 1;
    this.pace.set(object, { minute, count });
    if (count > this.limit) this.busiest ??= object;
  }
}
