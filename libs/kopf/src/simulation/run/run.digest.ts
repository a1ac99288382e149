import { createHash } from 'node:crypto';
import { stringifyJson } from '../../objects/exact-json.js';

/** Hashes all that happens, in its order: two runs are the same, to the bit, if they have the same digest. */
export class RunDigest {
  private readonly hash = createHash('sha256');
  /** The digests of all that has happened until each event, the event included. */
  private readonly events: string[] = [];

  /** Adds an event: the values that it consists of, as JSON has them. */
  addEvent(...values: readonly unknown[]): void {
    this.add(...values);
    this.events.push(this.hash.copy().digest('base64'));
  }

  /** Adds what is no event of its own, such as the content of an object: a difference shows with the next event. */
  add(...values: readonly unknown[]): void {
    this.hash.update(stringifyJson(values)).update('\n');
  }

  /** Finds the first event, counted from 0 on, from which on another run differs; `undefined` if it is the same. */
  differenceTo({ events: others }: RunDigest): number | undefined {
    const { events } = this;
    const length = Math.max(events.length, others.length);
    for (let index = 0; index < length; index++) if (events[index] !== others[index]) return index;
    return undefined;
  }

  /** The digest of what was added so far, in hexadecimal digits. */
  get value(): string {
    return this.hash.copy().digest('hex');
  }
}
