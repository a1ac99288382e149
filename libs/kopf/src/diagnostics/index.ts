/**
 * The diagnostics channels with their messages, and the lines of the log.
 *
 * @module nestjs-kopf/diagnostics
 */

export type { LogFields, LoggedObject, LogLevel, LogMessage } from '../common/kopf.logger.js';
export type { LogFormat } from '../common/log.formats.js';
export {
  KOPF_CHANNELS,
  OperatorIdentity,
  type CycleMessage,
  type DiagnosticChannel,
  type DiagnosticMessage,
  type HandlerMessage,
  type PatchMessage,
  type QueueAddMessage,
  type QueueMessage,
  type RequestMessage,
  type ReviewMessage,
  type TimedMessage,
  type WatchMessage,
  type WorkCaller,
  type WorkMessage,
} from './channels.js';
