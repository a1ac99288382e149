/** A part of the JSON of many objects, kept once. */
export interface SharedText {
  readonly text: string;
  readonly bytes: Buffer;
}

/** The JSON of an object without the part that it shares with other objects. */
export interface DividedText {
  readonly own: string;
  readonly shared: SharedText;
  /** The place of the shared part: after so many bytes of the own one. */
  readonly at: number;
}

/** The number of parts that are remembered. */
const LIMIT = 1000;

/**
 * The texts of `managedFields` that objects have in common: a client that creates many objects in a second owns the same fields of each,
 * which would take a fifth of the memory of small objects.
 */
export class SharedTexts {
  /** The shared parts by their texts; `undefined` for one that was seen once, which is not kept. */
  private readonly known = new Map<string, SharedText | undefined>();

  /** @returns `undefined` if the text has no part that was seen before */
  divide(json: string): DividedText | undefined {
    const start = json.indexOf('"managedFields":[');
    const end = start < 0 ? -1 : json.indexOf('}]', start);
    if (end < 0) return undefined;
    const shared = this.find(json.slice(start, end));
    if (!shared) return undefined;
    const head = json.slice(0, start);
    return { own: head + json.slice(end), shared, at: Buffer.byteLength(head) };
  }

  private find(part: string): SharedText | undefined {
    const known = this.known.get(part);
    if (known) return known;
    if (this.known.size >= LIMIT) this.known.clear();
    const bytes = Buffer.from(part);
    // A copy, as a part of a text would keep the whole one in memory.
    const text = bytes.toString();
    const shared = this.known.has(part) ? { text, bytes } : undefined;
    this.known.set(text, shared);
    return shared;
  }
}
