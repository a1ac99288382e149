import { parseJson, stringifyJson } from 'kube-common';
import type { KubeObject } from '../resources/kube-object.js';
import type { SharedText } from './shared.texts.js';
import type { BlockMember, TextBlock } from './text.block.js';

type Labels = Readonly<Record<string, string>>;

/** What stored objects need of the memory that packs them. */
export interface PackingMemory {
  keep(object: StoredObject): void;
  write(object: StoredObject, text: string): void;
  place(object: StoredObject, own: Uint8Array, length: number, shared?: SharedText, at?: number): void;
  sharedNamespace(namespace: string): string;
  sharedLabels(labels: Labels | undefined): Labels | undefined;
}

/**
 * One state of an object, as it is stored at one revision; its JSON is made once, and shared by journal, watches and answers.
 *
 * An object that nobody has looked at for a while is kept as text alone (`object.memory.ts`), and parsed again when it is asked for.
 * Its key, its labels and its text can be had without that.
 */
export class StoredObject implements BlockMember {
  readonly name: string;
  /** Whether the object was read lately, so that objects in use are not parsed again and again. */
  isUsed = false;
  /** Whether a later state has replaced this one. */
  private past = false;
  private home: string;
  private parsed: KubeObject | undefined;
  private keptLabels: Labels | undefined;
  private text: string | TextBlock<StoredObject> | undefined;
  private start = 0;
  private length = 0;
  /** A piece of text that other objects have, too, and the number of bytes of the own text after which it belongs. */
  private shared: SharedText | undefined;
  private at = 0;
  private memory: PackingMemory | undefined;

  constructor(
    object: KubeObject,
    readonly revision: number,
  ) {
    this.parsed = object;
    this.home = object.metadata.namespace ?? '';
    this.name = object.metadata.name ?? '';
  }

  get namespace(): string {
    return this.home;
  }

  get object(): KubeObject {
    this.isUsed = true;
    const object = this.read();
    if (this.parsed || this.past) return object;
    this.parsed = object;
    // Where all others are in use, it is packed again at once.
    this.memory?.keep(this);
    return object;
  }

  get labels(): Labels | undefined {
    return this.parsed ? this.parsed.metadata.labels : this.keptLabels;
  }

  /** Whether the object can be read without parsing its text. */
  get isParsed(): boolean {
    return this.parsed !== undefined;
  }

  get json(): string {
    const { text, start, length, shared, at } = this;
    if (typeof text !== 'object') return text ?? (this.text = stringifyJson(this.parsed));
    if (!shared) return text.read(start, length);
    return text.read(start, at) + shared.text + text.read(start + at, length - at);
  }

  /**
   * Returns the JSON in UTF-8, from a byte at its beginning on, in parts that need no copy and are not to be changed; `undefined` if it is
   * not kept as bytes.
   */
  partsFrom(from: number): readonly Uint8Array[] | undefined {
    const { text, start, length, shared, at } = this;
    if (typeof text !== 'object') return undefined;
    if (!shared) return [text.bytes(start + from, length - from)];
    return [text.bytes(start + from, at - from), shared.bytes, text.bytes(start + at, length - at)];
  }

  /** Whether the JSON begins with an ASCII text. */
  startsWith(head: string): boolean {
    if (typeof this.text !== 'object') return this.json.startsWith(head);
    return head.length <= (this.shared ? this.at : this.length) && this.text.startsWith(this.start, head);
  }

  /** The length of the JSON: bytes, or characters, which are nearly as many. */
  get size(): number {
    return typeof this.text === 'object' ? this.length + (this.shared?.bytes.length ?? 0) : this.json.length;
  }

  /** Reads the object for a caller that reads very many of them once: an object that is kept as text stays so. */
  read(): KubeObject {
    return this.parsed ?? (parseJson(this.json) as KubeObject);
  }

  /** Keeps the object as text alone. */
  pack(memory: PackingMemory): void {
    if (!this.parsed) return;
    if (typeof this.text !== 'object' && !this.past) memory.write(this, this.json);
    else void this.json;
    this.home = memory.sharedNamespace(this.home);
    this.keptLabels = memory.sharedLabels(this.parsed.metadata.labels);
    this.memory = memory;
    this.parsed = undefined;
  }

  /** Has its text, which is in a block already, put into another one. */
  moveBy(memory: PackingMemory): void {
    const { text, start, length, shared, at } = this;
    if (typeof text === 'object') memory.place(this, text.bytes(start, length), length, shared, at);
  }

  /** Has its text in a block from now on. */
  moveTo(
    block: TextBlock<StoredObject>,
    start: number,
    length: number,
    shared: SharedText | undefined,
    at: number,
  ): void {
    this.text = block;
    this.start = start;
    this.length = length;
    this.shared = shared;
    this.at = at;
  }

  /** Tells whether a block holds its text for the present. */
  isCurrentIn(block: TextBlock<StoredObject>): boolean {
    return this.text === block && !this.past;
  }

  /** Releases the memory of a state that a later one has replaced; it can still be read. */
  release(): void {
    if (this.past) return;
    this.past = true;
    if (typeof this.text === 'object') this.text.lose(this.length);
  }
}

/** Returns the state of an object once it is written at a revision. */
export function storedAt(object: KubeObject, revision: number): StoredObject {
  return new StoredObject(
    { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } } as KubeObject,
    revision,
  );
}

/** The origin of a write: the user and the client that have requested it. */
export interface WriteCause {
  /** The name of the user. */
  readonly user: string;
  /** The name of the client in its `User-Agent`; empty without one. */
  readonly userAgent: string;
}

/** A change of one object. */
export interface StorageEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The collection: the plural with its group. */
  readonly collection: string;
  readonly revision: number;
  /** The new state; of a deleted object the last one, at the revision of the deletion. */
  readonly current: StoredObject;
  /** The state before; absent for `ADDED`. */
  readonly previous?: StoredObject;
  /** The origin of the write, where that is kept: for parts of the server itself, and for requests while they are recorded. */
  readonly cause?: WriteCause | undefined;
}

/** A function that is called with each change, in the order of revisions. */
export type StorageListener = (event: StorageEvent) => void;
