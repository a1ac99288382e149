import { Inject, Injectable } from '@nestjs/common';
import type { EventPoster } from '../contexts/event-poster.interface.js';
import type { KopfLogger, LogLevel } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.interface.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { KOPF_LOGGER } from '../kopf.tokens.js';
import { ObjectLogger } from './object.logger.js';
import { reachesLevel } from './log-levels.js';

const EVENT_TYPES: Readonly<Record<LogLevel, string>> = {
  debug: 'Normal',
  log: 'Normal',
  warn: 'Warning',
  error: 'Error',
};

/** Makes loggers of objects; if the settings say so, their lines are posted as the objects' events, too. */
@Injectable()
export class ObjectLoggerFactory {
  constructor(
    @Inject(KOPF_LOGGER) private readonly sink: KopfLogger,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** @param events posts the lines. */
  create(body: KubeObject, events: EventPoster): KopfLogger {
    const { loggers, level: lowest } = this.settings.posting;
    if (!loggers) return new ObjectLogger(this.sink, body.metadata);
    return new ObjectLogger(this.sink, body.metadata, (level, message) => {
      // The message can take time to make.
      if (!reachesLevel(level, lowest)) return;
      events.post(body, EVENT_TYPES[level], 'Logging', message());
    });
  }
}
