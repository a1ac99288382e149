import type { KubeObject } from '../objects/kube-object.js';
import type { LogLevel } from '../common/kopf.logger.js';
import { withErrorText } from 'kube-common';

/** A Kubernetes event about an object. */
export interface EventDetails {
  /** Names the reason in one CamelCase word. */
  reason: string;
  /** Holds the text; it is cut in the middle beyond 1,024 characters. @default '' */
  message?: string;
}

/** A Kubernetes event about an error. */
export interface ExceptionDetails extends Partial<EventDetails> {
  /** Names the reason in one CamelCase word. @default the error's name */
  reason?: string;
  /** Holds the error that was thrown; its message follows the message. */
  error?: unknown;
}

/** Posts Kubernetes events about the object being handled. They are posted in the background; failures are only logged. */
export interface ObjectEvents {
  /** Posts an event of any type. */
  event(details: EventDetails & { type: string }): void;
  /** Posts an event of the type `Normal`. */
  info(details: EventDetails): void;
  /** Posts an event of the type `Warning`. */
  warn(details: EventDetails): void;
  /** Posts an event of the type `Error` with the error's message. */
  exception(details: ExceptionDetails): void;
}

/** Takes Kubernetes events to be posted in the background. */
export interface EventPoster {
  /**
   * Never throws and never waits: what cannot be posted is logged.
   *
   * @param level how important it is, as of log lines: below the level of the settings it is not posted. @default always
   */
  post(about: KubeObject, type: string, reason: string, message: string, level?: LogLevel): void;
}

/** Makes an event of an error: its name is the reason unless there is another one, and its message follows the other one. */
export function describeException({ reason, message = '', error }: ExceptionDetails): EventDetails {
  const name = error instanceof Error ? error.name : 'Error';
  return { reason: reason || name, message: withErrorText(message, error) };
}
