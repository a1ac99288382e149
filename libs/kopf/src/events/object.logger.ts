import { Injectable } from '@nestjs/common';
import { type KopfLogger, type LogFields, type LogLevel, type LogMessage, withFields } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { EventPoster } from '../contexts/object-events.js';
import { InjectOwn, KOPF_LOGGER } from '../kopf.tokens.js';
import { KopfSettings } from '../settings/kopf.settings.js';

/** A listener to the lines of an object's logger; the message is built only if the function is called. */
export type LogListener = (level: LogLevel, message: () => string) => void;

/** Creates a logger whose lines are about an object. */
export function createObjectLogger(
  sink: KopfLogger,
  { apiVersion, kind, metadata }: KubeObject,
  resource?: string,
): KopfLogger {
  const { namespace, name, uid } = metadata;
  return withFields(sink, { object: { apiVersion, kind, namespace, name, uid }, resource });
}

/** A logger that passes all lines except the verbose ones to a listener, too. */
export class OverheardLogger implements KopfLogger {
  constructor(
    private readonly sink: KopfLogger,
    private readonly listener: LogListener,
  ) {}

  verbose(message: LogMessage): void {
    this.sink.verbose?.(message);
  }

  debug(message: LogMessage): void {
    this.sink.debug(message);
    this.listener('debug', () => build(message));
  }

  log(message: LogMessage): void {
    this.sink.log(message);
    this.listener('log', () => build(message));
  }

  warn(message: LogMessage): void {
    this.sink.warn(message);
    this.listener('warn', () => build(message));
  }

  error(message: LogMessage, error?: unknown): void {
    this.sink.error(message, error);
    this.listener('error', () => build(message));
  }

  child(fields: LogFields, context?: string): KopfLogger {
    return new OverheardLogger(withFields(this.sink, fields, context), this.listener);
  }
}

function build(message: LogMessage): string {
  return typeof message === 'function' ? message() : message;
}

const EVENT_TYPES: Readonly<Record<LogLevel, string>> = {
  debug: 'Debug',
  log: 'Normal',
  warn: 'Warning',
  error: 'Error',
};

/** The factory of the loggers of objects; if the settings say so, their lines are posted as events of the objects, too. */
@Injectable()
export class ObjectLoggerFactory {
  constructor(
    @InjectOwn(KOPF_LOGGER) private readonly sink: KopfLogger,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /**
   * @param resource the resource of the object as kubectl writes it.
   * @param events the poster of the lines.
   */
  create(body: KubeObject, resource: string, events: EventPoster): KopfLogger {
    const { loggers, level: lowest, loggingBackoffs: backoffs } = this.settings.posting;
    const logger = createObjectLogger(this.sink, body, resource);
    if (!loggers) return logger;
    return new OverheardLogger(logger, (level, message) => {
      // Building the message can take time.
      if (!reachesLevel(level, lowest)) return;
      events.post(body, { type: EVENT_TYPES[level], reason: 'Logging', message: message(), backoffs });
    });
  }
}

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** Checks whether a level is the lowest one or above it. */
export function reachesLevel(level: LogLevel, lowest: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
}
