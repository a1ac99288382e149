import { type SharedText, SharedTexts } from './shared.texts.js';
import type { PackingMemory, StoredObject } from './stored.object.js';
import { TextBlock } from './text.block.js';

/**
 * The size of a block of texts, in bytes: large enough for the system to take its memory back as soon as it is free, and with what the
 * allocator adds not a page more.
 */
const BLOCK = 256 * 1024 - 64;

/** The largest size of objects that were written and not read since, in bytes of their JSON. */
const WRITTEN = 256 * 1024;

/** The largest size of objects that are read again and again, in bytes of their JSON. */
const IN_USE = 64 * 1024 * 1024;

/** The number of different namespaces and sets of labels that are remembered. */
const SHARED = 1000;

/**
 * The choice of objects that are kept parsed; all others are kept as text alone. A parsed object takes several times the memory of its
 * text, and the garbage collector has to look at each part of it.
 *
 * Objects wait in two queues. A written object that reaches the end of the first is packed, unless it has been read in between; then it
 * stays in the second, as long as it is read again before it reaches the end of that.
 */
export class ObjectMemory implements PackingMemory {
  private readonly written = new ObjectQueue(WRITTEN);
  private readonly inUse = new ObjectQueue(IN_USE);
  private readonly namespaces = new Map<string, string>();
  private readonly labels = new Map<string, Readonly<Record<string, string>>>();
  private readonly texts = new SharedTexts();
  private block: TextBlock<StoredObject> | undefined;

  /** Adds an object that was written. */
  add(object: StoredObject): void {
    object.isUsed = false;
    this.written.push(object);
    for (let oldest = this.written.excess(); oldest; oldest = this.written.excess()) {
      if (oldest.isUsed) this.keep(oldest);
      else oldest.pack(this);
    }
  }

  /** Adds an object that was read. */
  keep(object: StoredObject): void {
    object.isUsed = false;
    this.inUse.push(object);
    for (let oldest = this.inUse.excess(); oldest; oldest = this.inUse.excess()) {
      if (!oldest.isUsed) oldest.pack(this);
      else {
        oldest.isUsed = false;
        this.inUse.push(oldest);
      }
    }
  }

  /** Forgets an object that has a later state, or none; readers that still have it keep it as it is. */
  forget(object: StoredObject): void {
    this.written.remove(object);
    this.inUse.remove(object);
  }

  /** Writes the text of an object into a block. */
  write(object: StoredObject, text: string): void {
    const divided = this.texts.divide(text);
    const own = divided?.own ?? text;
    this.place(object, own, Buffer.byteLength(own), divided?.shared, divided?.at);
  }

  /** Places a text, which is divided already, in a block. */
  place(object: StoredObject, own: string | Uint8Array, length: number, shared?: SharedText, at?: number): void {
    const write = (block: TextBlock<StoredObject>): boolean => block.write(object, own, length, shared, at);
    if (length > BLOCK / 8) write(this.newBlock(length));
    else if (!this.block || !write(this.block)) write((this.block = this.newBlock(BLOCK)));
  }

  sharedNamespace(namespace: string): string {
    return shared(this.namespaces, namespace, namespace);
  }

  sharedLabels(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
    return labels && shared(this.labels, JSON.stringify(labels), labels);
  }

  private newBlock(size: number): TextBlock<StoredObject> {
    return new TextBlock<StoredObject>(size, (block, left) => {
      if (this.block === block) this.block = undefined;
      for (const object of left) object.moveBy(this);
    });
  }
}

/** Objects in the order in which they came, with a limit for the size of all. */
class ObjectQueue {
  private readonly sizes = new Map<StoredObject, number>();
  private size = 0;

  constructor(private readonly limit: number) {}

  push(object: StoredObject): void {
    this.remove(object);
    const { size } = object;
    this.sizes.set(object, size);
    this.size += size;
  }

  remove(object: StoredObject): void {
    this.size -= this.sizes.get(object) ?? 0;
    this.sizes.delete(object);
  }

  /** Removes the oldest object if all together are too large. */
  excess(): StoredObject | undefined {
    if (this.size <= this.limit) return undefined;
    const [oldest] = this.sizes.keys();
    if (oldest) this.remove(oldest);
    return oldest;
  }
}

/** Returns the first of equal values, of which only one needs to be kept. */
function shared<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= SHARED) known.clear();
  known.set(key, value);
  return value;
}
