import type { LogContext } from '../contexts/log.interface.js';
import type { BackgroundOptions } from './handler-options.js';
import type { HandlerDecorator } from './handler.decorators.js';
import { addHandlerMetadata } from './handler.metadata.js';
import type { ResourceName } from './reference.decorators.js';

/** The options by which lines of a log are joined, such as those of a stack trace. */
export interface MultilineOptions {
  /** A pattern of the first line of each message, in the syntax of RE2; the following lines that do not match are joined to it. */
  readonly start: RegExp | string;
  /** The most lines of a message. @default 500 */
  readonly maxLines?: number;
  /** Seconds after the last line until the message counts as complete. @default 1 */
  readonly timeout?: number;
}

/**
 * Options of `@OnLog`. Patterns are in the syntax of RE2, so that none can block the process, whatever is written into a log: there are
 * neither backreferences nor lookarounds.
 */
export interface LogOptions extends Omit<BackgroundOptions, 'initialDelay' | 'errors'> {
  /** A pattern of the messages that the handler is called for; the context has the `match` and its `groups`. @default all messages */
  regex?: RegExp | string;
  /** The name of the container, several names, or a pattern of names. @default all containers, including init containers */
  container?: string | readonly string[] | RegExp;
  /** The options by which lines are joined to messages. @default each line is a message */
  multiline?: MultilineOptions;
  /**
   * Where to begin with a container that has run before the operator: at the `start` of what the node still has, with new lines from `now`
   * on, or so many seconds ago. Logs of later containers are read from their start. @default 'now'
   */
  since?: 'start' | 'now' | number;
  /**
   * The treatment of arbitrary errors. While a message is retried, the log is not read further. @default 'permanent': the error is logged,
   * and the next message follows
   */
  errors?: BackgroundOptions['errors'];
}

/**
 * Calls the method for each line that containers of pods write, in their order, never for two lines of a pod at the same time. The logs are
 * read as long as the pods exist and match: through broken connections, rotations, and restarts of containers, whose last lines are read as
 * well. The method gets a {@link LogContext}.
 *
 * @example
 * @OnLog('pods', { labels: { app: 'web' }, container: 'main', regex: /ERROR (?<what>.*)/ })
 * report({ groups, timestamp, name, logger }: LogContext) {
 *   logger.warn(`${name} has failed at ${timestamp}: ${groups.what}`);
 * }
 *
 * @param resource a resource with the subresource `log`: `'pods'`.
 */
export function OnLog(resource: ResourceName, options: LogOptions = {}): HandlerDecorator<LogContext> {
  return addHandlerMetadata({ kind: 'log', decorator: '@OnLog', selector: [resource], options });
}
