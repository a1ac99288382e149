import type { EventPoster } from '../contexts/event-poster.interface.js';
import type { KopfLogger, LogLevel } from '../common/logger.interface.js';
import type { KubeObject } from '../objects/kube-object.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ObjectLogger } from './object.logger.js';
import { reachesLevel } from './log-levels.js';

const EVENT_TYPES: Readonly<Record<LogLevel, string>> = {
  debug: 'Normal',
  log: 'Normal',
  warn: 'Warning',
  error: 'Error',
};

/** Makes loggers of objects; if the settings say so, their lines are posted as the objects' events, too. */
export class ObjectLoggerFactory {
  constructor(
    private readonly sink: KopfLogger,
    private readonly events: EventPoster,
    private readonly settings: KopfSettings,
  ) {}

  create(body: KubeObject): KopfLogger {
    const { loggers, level: lowest } = this.settings.posting;
    if (!loggers) return new ObjectLogger(this.sink, body.metadata);
    return new ObjectLogger(this.sink, body.metadata, (level, message) => {
      // The message can take time to make.
      if (!reachesLevel(level, lowest)) return;
      this.events.post(body, EVENT_TYPES[level], 'Logging', message());
    });
  }
}
