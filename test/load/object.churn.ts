import type { ClusterUser } from '../support/clusters/cluster.user.js';
import type { RandomChoices } from '../support/generators/random.choices.js';

/** Creates, changes, and deletes objects at random, and knows what must be there in the end. */
export class ObjectChurn {
  /** The values that the objects have now, by their names. */
  readonly present = new Map<string, number>();
  readonly deleted = new Set<string>();
  private count = 0;

  constructor(
    private readonly user: ClusterUser,
    private readonly objects: string,
    private readonly choices: RandomChoices,
    /** Limits the objects that are there at the same time. */
    private readonly limit = 8,
  ) {}

  /** Does one thing. Values never repeat, so that no change undoes another one. */
  async act(): Promise<void> {
    const names = [...this.present.keys()];
    if (names.length === 0 || (names.length < this.limit && this.choices.withProbability(0.35))) return this.create();
    const value = ++this.count;
    const name = this.choices.pick(names);
    if (this.choices.withProbability(0.3)) {
      await this.user.delete(`${this.objects}/${name}`);
      this.present.delete(name);
      this.deleted.add(name);
      return;
    }
    const labels = this.choices.withProbability(0.3) ? { metadata: { labels: { step: `step-${value}` } } } : {};
    await this.user.patch(`${this.objects}/${name}`, { ...labels, spec: { value } });
    this.present.set(name, value);
  }

  /** Lets at least so many objects be there. */
  async stay(count: number): Promise<void> {
    while (this.present.size < count) await this.create();
  }

  private async create(): Promise<void> {
    const value = ++this.count;
    const name = `object-${value}`;
    const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { value } };
    await this.user.create(this.objects, body);
    this.present.set(name, value);
  }
}
