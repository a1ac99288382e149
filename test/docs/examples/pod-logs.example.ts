// #region imports
import { Injectable } from '@nestjs/common';
import { OnLog, type LogContext } from 'nestjs-kopf';
// #endregion

// #region handler
@Injectable()
export class ErrorsOperator {
  @OnLog('pods', { labels: { app: 'web' }, container: 'main', regex: /^ERROR (?<what>.*)/ })
  report({ groups, timestamp, restartCount, warn }: LogContext) {
    warn({ reason: 'LoggedError', message: `${groups.what} (${timestamp}, after ${restartCount} restarts)` });
  }
}
// #endregion

// #region traces
@Injectable()
export class TracesOperator {
  @OnLog('pods', { multiline: { start: /^\S/ }, regex: /^Error: .*/ })
  collect({ message, name, logger }: LogContext) {
    logger.log(`${name} has thrown an error in ${message.split('\n').length - 1} frames.`);
  }
}
// #endregion
