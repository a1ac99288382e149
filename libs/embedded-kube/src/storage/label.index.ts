import type { StoredObject } from './stored.object.js';

/** Limits how many labels of a resource are indexed: those that were asked for last. */
const KEYS = 16;

/** The objects with one value of a label; most often it is one. */
type Holders = StoredObject | Set<StoredObject>;

/** Finds objects by the values of their labels. A label is indexed when somebody asks for it first. */
export class LabelIndex {
  private readonly keys = new Map<string, Map<string, Holders>>();

  /** @param all gives all objects, to begin the index of a label with */
  constructor(private readonly all: () => Iterable<StoredObject>) {}

  /** The objects that have one of the values, in no order. */
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
    for (const [key, values] of this.keys) {
      if (previous) remove(values, valueOf(previous, key), previous);
      if (current) add(values, valueOf(current, key), current);
    }
  }

  private build(key: string): Map<string, Holders> {
    const values = new Map<string, Holders>();
    for (const object of this.all()) add(values, valueOf(object, key), object);
    const [oldest] = this.keys.keys();
    if (oldest !== undefined && this.keys.size >= KEYS) this.keys.delete(oldest);
    return values;
  }
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
