import type { LogContext } from '../contexts/log.interface.js';
import type { BackgroundOptions } from './handler-options.js';
import type { HandlerDecorator } from './handler.decorators.js';
import { addHandlerMetadata } from './handler.metadata.js';
import type { ResourceName } from './reference.decorators.js';

/** Says which lines of a log belong together, such as those of a stack trace. */
export interface MultilineOptions {
  /** Matches the first line of each message; the lines after it that do not match belong to it. In the syntax of RE2. */
  readonly start: RegExp | string;
  /** Limits the lines of a message. @default 500 */
  readonly maxLines?: number;
  /** Seconds after the last line until the message is taken as complete. @default 1 */
  readonly timeout?: number;
}

/**
 * Options of `@OnLog`. Patterns are in the syntax of RE2, so that none can block the process, whatever is written into a log: there are
 * neither backreferences nor lookarounds.
 */
export interface LogOptions extends Omit<BackgroundOptions, 'initialDelay' | 'errors'> {
  /** Calls the handler only for messages that match; the context has the `match` and its `groups`. @default all messages */
  regex?: RegExp | string;
  /** The name of the container, several names, or a pattern of names. @default all containers, init containers included */
  container?: string | readonly string[] | RegExp;
  /** Joins lines to messages. @default each line is a message */
  multiline?: MultilineOptions;
  /**
   * Where to begin with a container that has run before the operator: at the `start` of what the node still has, with what comes from `now` on, or
   * so many seconds ago. Later containers are followed from their start. @default 'now'
   */
  since?: 'start' | 'now' | number;
  /**
   * Decides how arbitrary errors are treated. While a message is retried, the log is not read on. @default 'permanent': the error is logged,
   * and the next message follows
   */
  errors?: BackgroundOptions['errors'];
}

/**
 * Calls the method for each line that containers of pods write, in their order, never for two lines of a pod at the same time. The logs are
 * followed as long as the pods exist and match: through broken connections, rotations, and restarts of containers, whose last
 * lines are read as well. The method gets a {@link LogContext}.
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
