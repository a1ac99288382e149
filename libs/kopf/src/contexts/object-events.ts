import type { KubeObject } from '../objects/kube-object.js';
import type { LogLevel } from '../common/kopf.logger.js';
import { withErrorText } from 'kube-common';

/** A Kubernetes event about an object. */
export interface EventDetails {
  /** The reason in one CamelCase word. */
  reason: string;
  /** The text; beyond 1,024 characters, its middle is cut out. @default '' */
  message?: string;
}

/** A Kubernetes event about an error. */
export interface ExceptionDetails extends Partial<EventDetails> {
  /** The reason in one CamelCase word. @default the error's name */
  reason?: string;
  /** The thrown error; its message follows the message. */
  error?: unknown;
}

/** The functions that post Kubernetes events about the handled object. They are posted in the background; failures are only logged. */
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

/** The receiver of Kubernetes events, which posts them in the background. */
export interface EventPoster {
  /**
   * Posts an event. Never throws and never waits: failures are logged.
   *
   * @param level the importance, as for log lines: below the level of the settings, the event is not posted. @default it is always posted
   */
  post(about: KubeObject, type: string, reason: string, message: string, level?: LogLevel): void;
}

/** Describes an error as an event: its name is the reason unless one is given, and its message follows the given one. */
export function describeException({ reason, message = '', error }: ExceptionDetails): EventDetails {
  const name = error instanceof Error ? error.name : 'Error';
  return { reason: reason || name, message: withErrorText(message, error) };
}
