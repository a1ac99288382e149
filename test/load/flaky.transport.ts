import type { KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import type { RandomChoices } from '../support/generators/random.choices.js';

/** A way to the cluster on which connections break at random: before a write arrives, or before its answer comes back. */
export class FlakyTransport implements KubeTransport {
  constructor(
    private readonly transport: KubeTransport,
    private readonly choices: RandomChoices,
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
    if (!this.choices.withProbability(this.probability)) return;
    this.onBroken();
    throw Object.assign(new Error('The connection broke'), { code: 'ECONNRESET' });
  }
}
