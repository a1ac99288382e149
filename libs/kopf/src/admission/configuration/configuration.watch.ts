import { WatchSource } from '../../client/watch/watch.source.js';
import type { ListedMark, KubeWatchEvent } from '../../client/watch/watch.event.js';
import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { selectName } from '../../resources/object.names.js';
import type { WatchStatus } from '../../client/watch/watch.reporter.js';
import { LevelFilteredLogger } from '../../common/kopf.logger.js';

/** The configuration that is watched, and the functions that are called. */
export interface ConfigurationWatchOptions extends Pick<
  WatchSourceOptions,
  'api' | 'settings' | 'clock' | 'random' | 'logger' | 'resource'
> {
  readonly name: string;
  /** Called with the configuration at first and after each change; `undefined` if there is none. */
  readonly onChange: (configuration: KubeObject | undefined) => void;
  /** Called once if the operator is not allowed to watch the configuration. */
  readonly onForbidden: () => void;
}

/** The watch of one webhook configuration, by which changes of other clients are found. A missing permission is no error. */
export class ConfigurationWatch {
  private isForbidden = false;
  private isFound = false;

  constructor(private readonly options: ConfigurationWatchOptions) {}

  /** Watches until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { name, logger, onChange: _, onForbidden: __, ...rest } = this.options;
    const source = new WatchSource({
      ...rest,
      // Without a watch, the configuration is only rewritten periodically.
      logger: new LevelFilteredLogger(logger),
      fieldSelector: selectName(name),
      onStatus: (status) => this.note(status),
    });
    await source.run((event) => this.take(event), signal);
  }

  private note({ state }: WatchStatus): void {
    if (state === 'listing') this.isFound = false;
    if (state !== 'forbidden' || this.isForbidden) return;
    this.isForbidden = true;
    this.options.onForbidden();
  }

  private take(event: KubeWatchEvent | ListedMark): void {
    const { onChange } = this.options;
    if (event === 'LISTED') {
      if (!this.isFound) onChange(undefined);
    } else if (event.type === 'DELETED') onChange(undefined);
    else {
      this.isFound = true;
      onChange(event.object);
    }
  }
}
