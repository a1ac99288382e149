import type { KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import type { Chance } from './random.choices.js';

/** A way to the cluster on which connections break by chance: before a write arrives, or before its answer comes back. */
export class FlakyTransport implements KubeTransport {
  constructor(
    private readonly transport: KubeTransport,
    private readonly chance: Chance,
    private readonly probability: number,
    private readonly onBroken: () => void,
  ) {}

  async request(request: KubeRequest): Promise<KubeResponse> {
    if (request.method === 'GET') return this.transport.request(request);
    this.breakByChance();
    const response = await this.transport.request(request);
    this.breakByChance();
    return response;
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private breakByChance(): void {
    if (!this.chance.of(this.probability)) return;
    this.onBroken();
    throw Object.assign(new Error('The connection broke'), { code: 'ECONNRESET' });
  }
}
