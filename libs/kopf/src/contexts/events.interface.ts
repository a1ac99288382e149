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
