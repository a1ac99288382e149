import type { KubeObject } from '../objects/kube-object.js';
import type { LogLevel } from '../common/kopf.logger.js';
import { withErrorText } from 'kube-common';

/** A Kubernetes event about an object. */
export interface EventDetails {
  /** The reason in one CamelCase word. */
  reason: string;
  /** The text; beyond 1,024 characters, its middle is cut out. @default '' */
  message?: string;
  /**
   * The seconds before each retry, if the event cannot be posted: a list has one delay for each retry, a number is one retry.
   * @default the setting `posting.defaultBackoffs`
   */
  backoffs?: number | readonly number[];
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

/** An event that is to be posted. */
export interface PostedEvent extends EventDetails {
  /** `Normal`, `Warning`, or any other word. */
  readonly type: string;
  /** The importance, as of log lines: below the level of the settings, the event is not posted. @default it is always posted */
  readonly level?: LogLevel;
}

/** The receiver of Kubernetes events, which posts them in the background. */
export interface EventPoster {
  /** Posts an event. Never throws and never waits: failures are logged. */
  post(about: KubeObject, event: PostedEvent): void;
}

/** Describes an error as an event: its name is the reason unless one is given, and its message follows the given one. */
export function describeException({ reason, message = '', error, backoffs }: ExceptionDetails): EventDetails {
  const name = error instanceof Error ? error.name : 'Error';
  return { reason: reason || name, message: withErrorText(message, error), backoffs };
}
