import { createHash } from 'node:crypto';
import { stringifyJson } from 'kube-common';

/** Notes all that happens, in its order: two runs are the same, to the bit, if they have the same digest. */
export class RunDigest {
  /** The events, each with what was added since the one before it, as text. */
  private readonly events: string[] = [];
  /** The text of what was added since the last event. */
  private added = '';

  /** Adds an event: the values that it consists of, as JSON has them. */
  addEvent(...values: readonly unknown[]): void {
    this.add(...values);
    this.events.push(this.added);
    this.added = '';
  }

  /** Adds what is no event of its own, such as the content of an object: a difference shows with the next event. */
  add(...values: readonly unknown[]): void {
    this.added += `${stringifyJson(values)}\n`;
  }

  /** Finds the first event, counted from 0 on, from which on another run differs; `undefined` if it is the same. */
  differenceTo({ events: others }: RunDigest): number | undefined {
    const { events } = this;
    const length = Math.max(events.length, others.length);
    for (let index = 0; index < length; index++) if (events[index] !== others[index]) return index;
    return undefined;
  }

  /** The SHA-256 of all that was added so far, in hexadecimal digits. */
  get value(): string {
    const hash = createHash('sha256');
    for (const event of this.events) hash.update(event);
    return hash.update(this.added).digest('hex');
  }
}
