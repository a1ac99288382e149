import type { Resource } from '../../resources/resources.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { WatchFailure } from './watch.failure.js';

/** Tells people about a watch: one line when it stops working, one when it works again, however many attempts there are between. */
export class WatchReporter {
  private outage?: { readonly state: WatchFailure['state']; readonly opened: boolean };

  constructor(
    private readonly logger: KopfLogger,
    private readonly resource: Resource,
    private readonly namespace: string | undefined,
  ) {}

  get subject(): string {
    const { kind, plural, group } = this.resource;
    const where = this.namespace === undefined ? 'cluster-wide' : `in namespace "${this.namespace}"`;
    return `${kind} (${group ? `${plural}.${group}` : plural}) ${where}`;
  }

  /** @param opened whether the failure came after the stream was open. */
  failed(error: unknown, failure: WatchFailure, opened: boolean, delay: number): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.outage?.state === failure.state;
    if (failure.expected || known) {
      this.logger.debug(() => `Watching ${this.subject} goes on in ${delay.toFixed(1)} s: ${reason}`);
      return;
    }
    this.outage = { state: failure.state, opened };
    this.logger.warn(`${this.describe(failure)} Trying again until it works. ${reason}`);
  }

  /**
   * The stream is open: it works again, unless what came of the stream was the trouble.
   *
   * @returns whether nothing is known to be wrong.
   */
  opened(): boolean {
    if (!this.outage?.opened) this.works();
    return this.outage === undefined;
  }

  /** Events come, or nothing had to come for a while. */
  works(): void {
    if (!this.outage) return;
    this.outage = undefined;
    this.logger.log(`Watching ${this.subject} works again.`);
  }

  private describe(failure: WatchFailure): string {
    if (failure.state === 'forbidden') return `Not permitted to watch ${this.subject}.`;
    if (failure.state === 'gone') return `The API server does not serve ${this.subject}.`;
    return `Watching ${this.subject} is interrupted.`;
  }
}
