import { KOPF_CHANNELS, type OperatorIdentity, type WatchMessage } from '../../diagnostics/channels.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { WatchFailure } from './watch.failure.js';

/**
 * The state of a watch.
 *
 * * `idle`: it was not started yet.
 * * `listing`: it reads all existing objects.
 * * `watching`: it is connected, and receives changes.
 * * `backingOff`: it has failed, and tries again after a pause.
 * * `forbidden`: the operator lacks the permission, and tries again after a pause.
 * * `gone`: the server does not serve the resource, and the watch tries again after a pause.
 * * `paused`: it was stopped for a time; it lists again when it is started again.
 * * `stopped`: it was stopped.
 */
export type WatchState = 'idle' | 'listing' | 'watching' | 'backingOff' | 'forbidden' | 'gone' | 'paused' | 'stopped';

/** The status of one watch; times are in milliseconds since the epoch. */
export interface WatchStatus {
  readonly state: WatchState;
  /** The beginning of the state. */
  readonly since: number;
  /** The time of the last line, including bookmarks. */
  readonly lastEventAt?: number;
  /** The number of reconnections and new lists, for any reason. */
  readonly restarts: number;
  /** The last error; absent once the watch works again. */
  readonly lastError?: unknown;
  /** The version up to which all events were received. */
  readonly resourceVersion?: string;
  /** The number of existing objects. */
  readonly objects: number;
}

/**
 * The reporter of one watch's interruptions. It logs one line when the watch stops working, and one when it works again, however many
 * attempts there are in between. It publishes each interruption on the diagnostic channels.
 */
export class WatchReporter {
  /** The number of reconnections and new lists. */
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

  /** Reports a failure. @param opened whether the stream was open before the failure. */
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
   * Reports that the stream is open: the watch works again, unless its failures came after the stream was open.
   *
   * @returns whether there is no known failure.
   */
  opened(): boolean {
    if (!this.outage?.opened) this.works();
    return this.outage === undefined;
  }

  /** Reports that events come, or that none had to come for a while. */
  works(): void {
    if (!this.outage) return;
    this.outage = undefined;
    this.isOverdue = false;
    this.logger.log(`Watching ${this.subject} works again.`);
  }

  /** Warns, once, that the objects could not be listed for so many seconds that handlers do not wait for them any longer. */
  overdue(seconds: number): void {
    if (this.isOverdue) return;
    this.isOverdue = true;
    this.logger.warn(
      `${this.subject} could not be listed for ${seconds} s. Handlers do not wait for it any longer: as long as it cannot be listed, indices ` +
        'and relations lack its objects.',
    );
  }

  /** Warns, once for each type, about events of an unknown type. */
  ignored(type: string): void {
    if (this.ignoredTypes.has(type)) return;
    this.ignoredTypes.add(type);
    this.logger.warn(`Ignoring events of the unknown type "${type}" of ${this.subject}.`);
  }

  /** Reports that the watch reconnects or lists again. */
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
