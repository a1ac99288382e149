import type { ClusterUser } from '../support/clusters/cluster.user.js';

/** The number of users, each of whom sends one request after the other. */
const USERS = 16;

/** Users who create objects and change them, all the time. */
export class AdmissionLoad {
  /** The rejected requests, with their reasons. */
  readonly failures: string[] = [];
  /** Counts the requests that were answered. */
  requests = 0;
  private objects = 0;

  constructor(
    private readonly user: ClusterUser,
    private readonly path: string,
  ) {}

  /** Sends requests until everything has happened that is to happen meanwhile, but not fewer than that many. */
  async during(action: () => Promise<void>, atLeast: number): Promise<void> {
    const enough = this.requests + atLeast;
    let isOver = false;
    const users = Array.from({ length: USERS }, async () => {
      while (!isOver || this.requests < enough) await this.work();
    });
    try {
      await action();
    } finally {
      isOver = true;
      await Promise.all(users);
    }
  }

  private async work(): Promise<void> {
    const name = `object-${this.objects++}`;
    const object = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { field: 'v1' } };
    await this.attempt(`create ${name}`, () => this.user.create(this.path, object));
    await this.attempt(`update ${name}`, () => this.user.patch(`${this.path}/${name}`, { spec: { field: 'v2' } }));
  }

  private async attempt(title: string, request: () => Promise<unknown>): Promise<void> {
    try {
      await request();
    } catch (error) {
      this.failures.push(`${title}: ${(error as Error).message}`);
    }
    this.requests++;
  }
}
