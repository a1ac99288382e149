import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import { backoffDelay } from '../../common/backoff.js';
import { type Clock, type ClockTimer, deepEqual } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { ConfigurationWatch } from './configuration.watch.js';

/** Tells which configuration is repaired, and how. */
export interface ConfigurationRepairOptions {
  readonly watching: Pick<WatchSourceOptions, 'api' | 'settings' | 'clock' | 'random' | 'logger' | 'resource'>;
  readonly name: string;
  /** Names the configuration in the log. */
  readonly title: string;
  /** Takes out of the configuration what the operator keeps in it. */
  readonly ownPartOf: (configuration: KubeObject | undefined) => unknown;
  /** Says what to do if another operator keeps the same. */
  readonly advice: string;
  /** Rewrites the configuration periodically, in seconds, even without a known change; 0 for never. */
  readonly refreshInterval: number;
  /** Called when it has to be written again. */
  readonly onDisturbed: (configuration: KubeObject | undefined) => void;
}

/**
 * Notices when others change a webhook configuration, such as a replica that removes its webhooks when it stops.
 *
 * The webhooks are compared with what the API server has made of those that were written, so replicas that write the same
 * do not disturb each other; those that do not agree come to their turns ever more slowly.
 */
export class ConfigurationRepair {
  private readonly pace: RepairPace;
  private written?: KubeObject;
  private present?: KubeObject;
  private isSeen = false;
  private timer?: ClockTimer;

  constructor(private readonly options: ConfigurationRepairOptions) {
    this.pace = new RepairPace(options.watching.clock);
  }

  /** Takes notice of what the API server has answered to a change by the operator itself. */
  agree(written: KubeObject): void {
    this.written = written;
    // Another client can have changed it before the answer came.
    if (this.isSeen) this.consider();
  }

  /** Watches the configuration until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { watching, name, title, refreshInterval } = this.options;
    const watch = new ConfigurationWatch({
      ...watching,
      name,
      onChange: (configuration) => this.look(configuration),
      onForbidden: () =>
        watching.logger.log(
          `The operator is not permitted to list and watch the ${title}: what others change is ` +
            (refreshInterval ? `repaired every ${refreshInterval} seconds.` : 'not repaired.'),
        ),
    });
    await watch.run(signal);
    this.timer?.cancel();
    this.isSeen = false;
  }

  private look(configuration: KubeObject | undefined): void {
    this.isSeen = true;
    this.present = configuration;
    this.consider();
  }

  private consider(): void {
    if (this.timer || !this.isDisturbed) return;
    this.timer = this.options.watching.clock.setTimer(() => this.repair(), this.pace.delay * 1000);
  }

  private repair(): void {
    this.timer = undefined;
    // Mostly, the event of the own write had only not come yet; or another replica has repaired it.
    if (!this.isDisturbed) return;
    const { title, watching, advice, onDisturbed } = this.options;
    this.pace.record();
    if (this.pace.isConflict) {
      watching.logger.warn(
        `The ${title} is changed by somebody else again and again. If that is another operator, ${advice}.`,
      );
    } else watching.logger.log(`The ${title} was changed by somebody else, and is written again.`);
    onDisturbed(this.present);
  }

  private get isDisturbed(): boolean {
    const { ownPartOf } = this.options;
    return !deepEqual(ownPartOf(this.present), ownPartOf(this.written));
  }
}

/** Seconds until the next repair; the last one repeats. Several replicas may stop one after another. */
const DELAYS = [0.1, 0.1, 0.1, 1, 2, 5, 10];

/** Counts as normal so many repairs in a row; more are a conflict. */
const USUAL_REPAIRS = 3;

/** Counts the repairs anew after so many milliseconds without any. */
const QUIET = 60_000;

/**
 * Computes the delay until a configuration that others have changed is repaired: none at first, growing while the conflict goes
 * on.
 */
export class RepairPace {
  private count = 0;
  private lastAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Is true for the repair that makes it likely that another operator manages the same configuration. */
  get isConflict(): boolean {
    return this.count === USUAL_REPAIRS + 1;
  }

  /** Seconds until the next repair may be done. */
  get delay(): number {
    return backoffDelay(DELAYS, this.recent + 1);
  }

  /** Takes notice of a repair. */
  record(): void {
    this.count = this.recent + 1;
    this.lastAt = this.clock.monotonic();
  }

  private get recent(): number {
    return this.clock.monotonic() - this.lastAt > QUIET ? 0 : this.count;
  }
}
