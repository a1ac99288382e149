import { createHash } from 'node:crypto';
import { stringifyJson } from 'kube-common';

/** The digest of all that happens, in its order. Two runs with the same digest are identical. */
export class RunDigest {
  /** The events, each with everything that was added since the one before it, as text. */
  private readonly events: string[] = [];
  /** The text that was added since the last event. */
  private added = '';

  /** Adds an event: the values that it consists of, as JSON has them. */
  addEvent(...values: readonly unknown[]): void {
    this.add(...values);
    this.events.push(this.added);
    this.added = '';
  }

  /** Adds data that belongs to no event, such as the content of an object: a difference shows with the next event. */
  add(...values: readonly unknown[]): void {
    this.added += `${stringifyJson(values)}\n`;
  }

  /** The index of the first event from which on another run differs; `undefined` if both are the same. */
  differenceTo({ events: others }: RunDigest): number | undefined {
    const { events } = this;
    const length = Math.max(events.length, others.length);
    for (let index = 0; index < length; index++) if (events[index] !== others[index]) return index;
    return undefined;
  }

  /** The SHA-256 of everything that was added so far, in hexadecimal digits. */
  get value(): string {
    const hash = createHash('sha256');
    for (const event of this.events) hash.update(event);
    return hash.update(this.added).digest('hex');
  }
}
