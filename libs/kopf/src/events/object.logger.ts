import { Inject, Injectable } from '@nestjs/common';
import type { KopfLogger, LogLevel, LogMessage } from '../common/kopf.logger.js';
import type { ObjectMeta, KubeObject } from '../objects/kube-object.js';
import type { EventPoster } from '../contexts/object-events.js';
import { KOPF_LOGGER } from '../kopf.tokens.js';
import { KopfSettings } from '../settings/kopf.settings.js';

/** Receives the lines of an object's logger; the message is built only if it is called. */
export type LogListener = (level: LogLevel, message: () => string) => void;

/** Writes the log lines of one object, with its namespace and name in front. */
export class ObjectLogger implements KopfLogger {
  private readonly prefix: string;

  constructor(
    private readonly sink: KopfLogger,
    { namespace, name }: ObjectMeta,
    private readonly listener?: LogListener,
  ) {
    this.prefix = `[${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}] `;
  }

  verbose(message: LogMessage): void {
    this.sink.verbose?.(this.prefixed(message));
  }

  debug(message: LogMessage): void {
    this.sink.debug(this.prefixed(message));
    this.listener?.('debug', () => build(message));
  }

  log(message: LogMessage): void {
    this.sink.log(this.prefixed(message));
    this.listener?.('log', () => build(message));
  }

  warn(message: LogMessage): void {
    this.sink.warn(this.prefixed(message));
    this.listener?.('warn', () => build(message));
  }

  error(message: LogMessage, error?: unknown): void {
    this.sink.error(this.prefixed(message), error);
    this.listener?.('error', () => build(message));
  }

  private prefixed(message: LogMessage): LogMessage {
    return typeof message === 'function' ? () => this.prefix + message() : this.prefix + message;
  }
}

function build(message: LogMessage): string {
  return typeof message === 'function' ? message() : message;
}

const EVENT_TYPES: Readonly<Record<LogLevel, string>> = {
  debug: 'Normal',
  log: 'Normal',
  warn: 'Warning',
  error: 'Error',
};

/** Creates loggers of objects; if the settings say so, their lines are posted as the objects' events, too. */
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

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** Tells whether a level is the given lowest one, or above it. */
export function reachesLevel(level: LogLevel, lowest: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
}
