import type { LogOptions } from '../decorators/log.decorator.js';
import { LogPattern } from '../logs/log.pattern.js';
import type { LogQuery } from '../logs/log.query.js';

/** Creates the query of the options of `@OnLog`: which lines of which containers are handled. */
export function createLogQuery({ regex, container, multiline, since = 'now' }: LogOptions): LogQuery {
  return {
    since,
    ...(regex !== undefined && { pattern: new LogPattern(regex) }),
    ...(container !== undefined && {
      container:
        container instanceof RegExp
          ? new LogPattern(container)
          : new Set(typeof container === 'string' ? [container] : container),
    }),
    ...(multiline && {
      multiline: {
        start: new LogPattern(multiline.start),
        maxLines: multiline.maxLines ?? 500,
        timeout: multiline.timeout ?? 1,
      },
    }),
  };
}
