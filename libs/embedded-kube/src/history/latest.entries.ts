/** A list that keeps its latest entries. */
export class LatestEntries<Entry> {
  private entries: Entry[] = [];

  constructor(private readonly limit: number) {}

  add(entry: Entry): void {
    this.entries.push(entry);
    // Not with each entry, as all others are moved.
    if (this.entries.length >= 2 * this.limit) this.entries = this.all();
  }

  all(): Entry[] {
    return this.limit > 0 ? this.entries.slice(-this.limit) : [];
  }

  clear(): void {
    this.entries = [];
  }

  /** Returns the same entries with another limit. */
  limited(limit: number): LatestEntries<Entry> {
    if (limit === this.limit) return this;
    const entries = new LatestEntries<Entry>(limit);
    entries.entries = this.all();
    return entries;
  }
}
