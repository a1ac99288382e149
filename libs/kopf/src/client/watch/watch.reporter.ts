import { KOPF_CHANNELS, type OperatorIdentity, type WatchMessage } from '../../diagnostics/channels.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { WatchFailure } from './watch.failure.js';

/**
 * Names the state of a watch.
 *
 * * `idle`: it was not started yet.
 * * `listing`: it gets all objects that there are.
 * * `watching`: it is connected, and changes come as they happen.
 * * `backingOff`: something failed, and it tries again after a pause.
 * * `forbidden`: the operator lacks the permission, and it tries again after a pause.
 * * `gone`: the server does not serve the resource, and it tries again after a pause.
 * * `paused`: it was stopped for the time being; it lists again when it is started again.
 * * `stopped`: it was stopped.
 */
export type WatchState = 'idle' | 'listing' | 'watching' | 'backingOff' | 'forbidden' | 'gone' | 'paused' | 'stopped';

/** Reports the present state of one watch; times are in milliseconds since the epoch. */
export interface WatchStatus {
  readonly state: WatchState;
  /** Tells when it came into the state. */
  readonly since: number;
  /** Tells when the last line came, a bookmark included. */
  readonly lastEventAt?: number;
  /** Counts how many times it was connected again or listed again, for whatever reason. */
  readonly restarts: number;
  /** Holds the last error; absent once it works again. */
  readonly lastError?: unknown;
  /** The version up to which everything was seen. */
  readonly resourceVersion?: string;
  /** Counts the objects that there are. */
  readonly objects: number;
}

/**
 * Tells people about a watch: one line when it stops working, one when it works again, however many attempts there are between.
 * Those who follow what the operator does are told of each interruption.
 */
export class WatchReporter {
  /** Counts how many times it was connected again or listed again. */
  restarts = 0;
  private readonly ignoredTypes = new Set<string>();
  private outage?: { readonly state: WatchFailure['state']; readonly opened: boolean };
  private isOverdue = false;

  constructor(
    private readonly logger: KopfLogger,
    private readonly resource: Resource,
    private readonly namespace: string | undefined,
    private readonly operator: OperatorIdentity,
  ) {}

  get subject(): string {
    const where = this.namespace === undefined ? 'cluster-wide' : `in namespace "${this.namespace}"`;
    return `${this.resource.kind} (${qualifiedName(this.resource)}) ${where}`;
  }

  /** @param opened whether the failure came after the stream was open. */
  failed(error: unknown, failure: WatchFailure, opened: boolean, delay: number): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.outage?.state === failure.state;
    if (!failure.expected) this.tell('failure', error);
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
    this.isOverdue = false;
    this.logger.log(`Watching ${this.subject} works again.`);
  }

  /** The objects could not be listed for so many seconds that others do not wait for them any longer; it is told once. */
  overdue(seconds: number): void {
    if (this.isOverdue) return;
    this.isOverdue = true;
    this.logger.warn(
      `${this.subject} could not be listed for ${seconds} s. Handlers do not wait for it any longer: as long as it cannot be listed, indices ` +
        'and relations lack its objects.',
    );
  }

  /** Events come of a type that the library does not know; it is told once. */
  ignored(type: string): void {
    if (this.ignoredTypes.has(type)) return;
    this.ignoredTypes.add(type);
    this.logger.warn(`Ignoring events of the unknown type "${type}" of ${this.subject}.`);
  }

  /** It connects or lists once more. */
  restarted(): void {
    this.restarts++;
    this.tell('restart');
  }

  bookmarked(): void {
    this.tell('bookmark');
  }

  private tell(what: WatchMessage['what'], error?: unknown): void {
    if (!KOPF_CHANNELS.watch.hasSubscribers) return;
    const { operator, resource, namespace } = this;
    KOPF_CHANNELS.watch.publish({ operator, resource, namespace, what, error });
  }

  private describe(failure: WatchFailure): string {
    if (failure.state === 'forbidden') return `Not permitted to watch ${this.subject}.`;
    if (failure.state === 'gone') return `The API server does not serve ${this.subject}.`;
    return `Watching ${this.subject} is interrupted.`;
  }
}
