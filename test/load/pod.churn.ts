import type { KubeObject, KubeTransport } from 'nestjs-kopf';
import type { RandomChoices } from '../support/generators/random.choices.js';

const ROOT = '/api/v1/namespaces';
const NAMESPACES = ['blue', 'green', 'red'];
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed'];

/** Creates, changes, and deletes pods at random, up to very many of them: a churn as in a busy cluster. */
export class PodChurn {
  private readonly present: { readonly namespace: string; readonly name: string }[] = [];
  private count = 0;

  constructor(
    private readonly cluster: KubeTransport,
    private readonly choices: RandomChoices,
  ) {}

  async fill(pods: number): Promise<void> {
    for (const name of NAMESPACES) await this.send('POST', ROOT, { metadata: { name } });
    for (let pod = 0; pod < pods; pod++) await this.create();
  }

  /** Does one thing to one pod. */
  async change(): Promise<void> {
    const roll = this.choices.between(1, 10);
    if (roll <= 2) return this.create();
    const index = this.choices.between(0, this.present.length - 1);
    const { namespace, name } = this.present[index];
    const path = `${ROOT}/${namespace}/pods/${name}`;
    if (roll <= 4) {
      this.present[index] = this.present.at(-1)!;
      this.present.pop();
      await this.send('DELETE', path, { gracePeriodSeconds: 0 });
    } else if (roll <= 7) await this.send('PATCH', path, { metadata: { labels: this.makeLabels() } });
    else await this.send('PATCH', `${path}/status`, { status: { phase: this.choices.pick(PHASES) } });
  }

  /** All pods, as the server has them. */
  async list(): Promise<readonly KubeObject[]> {
    return (await this.send('GET', '/api/v1/pods')).items as KubeObject[];
  }

  private async create(): Promise<void> {
    const namespace = this.choices.pick(NAMESPACES);
    const name = `pod-${++this.count}`;
    const metadata = { name, labels: this.makeLabels() };
    const spec = { containers: [{ name: 'main', image: 'example.com/image' }] };
    await this.send('POST', `${ROOT}/${namespace}/pods`, { metadata, spec });
    this.present.push({ namespace, name });
  }

  private makeLabels(): Record<string, string> {
    return { zone: `zone-${this.choices.between(1, 500)}`, tier: this.choices.withProbability(0.2) ? 'web' : 'other' };
  }

  private async send(method: string, path: string, body?: object): Promise<KubeObject> {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const response = await this.cluster.request({ method, path, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as KubeObject;
  }
}
