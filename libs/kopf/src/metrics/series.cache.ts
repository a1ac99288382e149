/**
 * A cache of values by labels, and by the objects from which the labels are made. The look-up is fast for objects that are used repeatedly;
 * all objects with the same label have the same value.
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

  /** All values, by their labels. */
  get all(): Iterable<[string, V]> {
    return this.byLabel;
  }
}
