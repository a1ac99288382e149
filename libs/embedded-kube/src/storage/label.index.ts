import { nextTurn } from '../common/event-loop.turns.js';
import type { StoredObject } from './stored.object.js';

/** The number of labels of a resource that are indexed: those that were asked for last. */
const KEYS = 16;

/** The number of objects that are indexed before other requests are served. */
const SLICE = 5000;

/** The objects with one value of a label; most often it is one. */
type Holders = StoredObject | Set<StoredObject>;

/** An index of objects by the values of their labels. A label is indexed when a list requires it for the first time. */
export class LabelIndex {
  private readonly keys = new Map<string, Map<string, Holders>>();
  /** The indexes that are being made in slices. */
  private readonly drafts = new Map<string, { readonly values: Map<string, Holders>; readonly made: Promise<void> }>();

  /**
   * @param all returns all objects, for a new index of a label
   * @param isCurrent whether an object has not been replaced since
   */
  constructor(
    private readonly all: () => readonly StoredObject[],
    private readonly isCurrent: (object: StoredObject) => boolean,
  ) {}

  /** Indexes a label. @returns a promise of the end, if that takes longer than other requests can wait */
  prepare(key: string): Promise<void> | undefined {
    const draft = this.drafts.get(key);
    if (draft || this.keys.has(key)) return draft?.made;
    const objects = this.all();
    if (objects.length <= SLICE) return undefined;
    const values = new Map<string, Holders>();
    const made = this.fill(key, values, objects);
    this.drafts.set(key, { values, made });
    return made;
  }

  /** Returns the objects that have one of the values, in no order. */
  find(key: string, values: readonly string[]): StoredObject[] {
    const known = this.keys.get(key) ?? this.build(key);
    // What was asked for last comes last.
    this.keys.delete(key);
    this.keys.set(key, known);
    return [...new Set(values)].flatMap((value) => {
      const holders = known.get(value);
      return holders instanceof Set ? [...holders] : (holders ?? []);
    });
  }

  replace(previous: StoredObject | undefined, current: StoredObject | undefined): void {
    for (const [key, values] of this.keys) exchange(values, key, previous, current);
    for (const [key, { values }] of this.drafts) exchange(values, key, previous, current);
  }

  private build(key: string): Map<string, Holders> {
    const values = new Map<string, Holders>();
    for (const object of this.all()) add(values, valueOf(object, key), object);
    this.makeRoom();
    return values;
  }

  /** Indexes the objects of one moment, while objects are created and deleted. */
  private async fill(key: string, values: Map<string, Holders>, objects: readonly StoredObject[]): Promise<void> {
    for (let start = 0; start < objects.length; start += SLICE) {
      await nextTurn();
      for (const object of objects.slice(start, start + SLICE)) {
        if (this.isCurrent(object)) add(values, valueOf(object, key), object);
      }
    }
    this.drafts.delete(key);
    this.makeRoom();
    this.keys.set(key, values);
  }

  private makeRoom(): void {
    const [oldest] = this.keys.keys();
    if (oldest !== undefined && this.keys.size >= KEYS) this.keys.delete(oldest);
  }
}

function exchange(
  values: Map<string, Holders>,
  key: string,
  previous: StoredObject | undefined,
  current: StoredObject | undefined,
): void {
  if (previous) remove(values, valueOf(previous, key), previous);
  if (current) add(values, valueOf(current, key), current);
}

function valueOf({ labels }: StoredObject, key: string): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function add(values: Map<string, Holders>, value: string | undefined, object: StoredObject): void {
  if (value === undefined) return;
  const holders = values.get(value);
  if (holders === undefined) values.set(value, object);
  else if (holders instanceof Set) holders.add(object);
  else values.set(value, new Set([holders, object]));
}

function remove(values: Map<string, Holders>, value: string | undefined, object: StoredObject): void {
  if (value === undefined) return;
  const holders = values.get(value);
  if (holders instanceof Set) holders.delete(object);
  if (holders === object || (holders instanceof Set && holders.size === 0)) values.delete(value);
}
