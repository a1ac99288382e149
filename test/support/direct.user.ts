import { StatusError, type ControllerClient, type KubeObject } from 'embedded-kube';
import { SeededRandom } from 'nestjs-kopf/testing';

const OBJECTS = { group: 'kopf.dev', plural: 'kopfexamples' };

/** What the user knows of an object. */
export interface KnownValue {
  readonly uid: string;
  readonly name: string;
  readonly value: number;
}

/**
 * Creates, changes and deletes objects of `kopfexamples` by chance, and knows what must be there in the end.
 * Works inside of the server, so that nothing goes wrong on the way.
 */
export class DirectUser {
  /** The identities of the objects that were deleted. */
  readonly deleted: string[] = [];
  private readonly present = new Map<string, KnownValue>();
  private readonly random = new SeededRandom(3);
  private count = 0;

  constructor(
    private readonly client: ControllerClient,
    private readonly namespace = 'ns',
  ) {}

  /** How many changes there were. */
  get changes(): number {
    return this.count;
  }

  /** The objects that are there. */
  get objects(): readonly KnownValue[] {
    return [...this.present.values()];
  }

  /** Does so many things; what cannot be done now, as there is no such resource or namespace, is left out. */
  async work(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      try {
        await this.act();
        this.count += 1;
      } catch (error) {
        if (!(error instanceof StatusError) || ![403, 404, 405].includes(error.code)) throw error;
      }
    }
  }

  /** All objects were deleted by somebody else. */
  forget(): void {
    this.deleted.push(...this.objects.map(({ uid }) => uid));
    this.present.clear();
  }

  private async act(): Promise<void> {
    const chance = this.random.next();
    const objects = this.objects;
    const picked = objects[Math.floor(this.random.next() * objects.length)];
    if (!picked || chance < 0.25) return this.create(`object-${this.count}`);
    if (chance < 0.4) return this.delete(picked);
    return this.change(picked);
  }

  private async create(name: string): Promise<void> {
    const value = this.count;
    const { metadata } = await this.client.create(OBJECTS, this.namespace, { metadata: { name }, spec: { value } });
    this.present.set(name, { uid: metadata.uid!, name, value });
  }

  private async change({ uid, name }: KnownValue): Promise<void> {
    const value = this.count;
    const current: KubeObject | undefined = this.client.get(OBJECTS, this.namespace, name);
    await this.client.update(OBJECTS, this.namespace, name, { ...current, spec: { value } });
    this.present.set(name, { uid, name, value });
  }

  private async delete({ uid, name }: KnownValue): Promise<void> {
    await this.client.delete(OBJECTS, this.namespace, name);
    this.present.delete(name);
    this.deleted.push(uid);
  }
}
