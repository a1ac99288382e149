import type { KopfLogger } from '../common/kopf.logger.js';

/** The call of an object's handler in which the event loop was blocked. */
export interface BlockingCall {
  /** The handler's title: `Handler 'create'`. */
  readonly title: string;
  /** The logger of the object. */
  readonly logger: KopfLogger;
  /** Whether the handler is known to be the cause. Otherwise it was only the first one to end after the blockage. */
  readonly isCertain: boolean;
}

/** A time in which the event loop did not run, as a handler was computing, or the whole process was suspended. */
export class EventLoopBlockage {
  constructor(
    readonly seconds: number,
    readonly call?: BlockingCall,
  ) {}

  /** Describes the blockage, as the beginning of a sentence. */
  get text(): string {
    const { call } = this;
    const seconds = `${this.seconds.toFixed(1)} seconds`;
    if (call?.isCertain) return `${call.title} has blocked the event loop for ${seconds}`;
    // The time begins with the last known sign before the blockage.
    const suspicion = call ? ` (probably by ${call.title}, which was the first one to end then)` : '';
    return `The event loop was blocked, or the process was stopped, for up to ${seconds}${suspicion}`;
  }
}

/** The error of an event cycle whose object has a handler that has blocked the event loop until the leadership was lost. */
export class EventLoopBlockedError extends Error {
  constructor({ text }: EventLoopBlockage) {
    super(`${text}, and what it did is not stored.`);
    this.name = 'EventLoopBlockedError';
  }
}
