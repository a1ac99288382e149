/**
 * Keeps what belongs to a label, and finds it by the object that the label is made of: fast for those objects that come again and
 * again, and once only for the same label of another object.
 */
export class SeriesCache<K extends object, V> {
  private readonly byKey = new WeakMap<K, V>();
  private readonly byLabel = new Map<string, V>();

  constructor(
    private readonly label: (key: K) => string,
    private readonly create: (label: string) => V,
  ) {}

  of(key: K): V {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const value = this.named(this.label(key));
    this.byKey.set(key, value);
    return value;
  }

  named(label: string): V {
    let value = this.byLabel.get(label);
    if (value === undefined) this.byLabel.set(label, (value = this.create(label)));
    return value;
  }

  /** All that there is, by the labels. */
  get all(): Iterable<[string, V]> {
    return this.byLabel;
  }
}
