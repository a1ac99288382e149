import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import { backoffDelay } from '../../common/backoff.js';
import { type Clock, type ClockTimer, deepEqual } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { ConfigurationWatch } from './configuration.watch.js';

/** The configuration that is repaired, and how it is compared. */
export interface ConfigurationRepairOptions {
  readonly watching: Pick<WatchSourceOptions, 'api' | 'settings' | 'clock' | 'random' | 'logger' | 'resource'>;
  readonly name: string;
  /** The name of the configuration in the log. */
  readonly title: string;
  /** Returns the part of the configuration that the operator writes. */
  readonly ownPartOf: (configuration: KubeObject | undefined) => unknown;
  /** The advice in the log if another operator writes the same part. */
  readonly advice: string;
  /** The seconds between two writes of the configuration without a known change; 0 for never. */
  readonly refreshInterval: number;
  /** Called when the configuration must be written again. */
  readonly onDisturbed: (configuration: KubeObject | undefined) => void;
}

/**
 * The detection of changes that other clients make to a webhook configuration, such as a replica that removes its webhooks when it stops.
 *
 * The present webhooks are compared with what the API server has made of the written ones, so that replicas which write the same do not
 * disturb each other. Replicas that disagree write at growing intervals.
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

  /** Takes the configuration that the API server has stored as the one to compare with. */
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
    // Mostly, the event of the operator's own write has not come yet, or another replica has repaired the configuration.
    if (!this.isDisturbed) return;
    const { title, watching, advice, onDisturbed } = this.options;
    this.pace.record();
    if (this.pace.isConflict) {
      watching.logger.warn(
        `The ${title} is changed by another client again and again. If that is another operator, ${advice}.`,
      );
    } else watching.logger.log(`The ${title} was changed by another client, and is written again.`);
    onDisturbed(this.present);
  }

  private get isDisturbed(): boolean {
    const { ownPartOf } = this.options;
    return !deepEqual(ownPartOf(this.present), ownPartOf(this.written));
  }
}

/** The seconds until the next repair; the last value repeats. The first ones are short, as several replicas may stop one after another. */
const DELAYS = [0.1, 0.1, 0.1, 1, 2, 5, 10];

/** The number of repairs in a row that is normal; more are a conflict. */
const USUAL_REPAIRS = 3;

/** The milliseconds without repairs after which the next one counts as the first. */
const QUIET = 60_000;

/** The delays of repairs: none at first, and longer ones as long as another client keeps changing the configuration. */
export class RepairPace {
  private count = 0;
  private lastAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether this repair is the first that makes a conflict with another operator likely. */
  get isConflict(): boolean {
    return this.count === USUAL_REPAIRS + 1;
  }

  /** Seconds until the next repair may be done. */
  get delay(): number {
    return backoffDelay(DELAYS, this.recent + 1);
  }

  /** Records a repair. */
  record(): void {
    this.count = this.recent + 1;
    this.lastAt = this.clock.monotonic();
  }

  private get recent(): number {
    return this.clock.monotonic() - this.lastAt > QUIET ? 0 : this.count;
  }
}
