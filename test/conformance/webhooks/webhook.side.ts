import { eventually } from '../../support/time/eventually.js';
import { HttpsSide } from '../https.side.js';
import { ObjectVersions } from './object.versions.js';
import type { ScenarioStep, ScenarioWebhook, WebhookScenario } from './webhook.scenario.js';
import type { ReceivedReview, WebhookServer } from './webhook.server.js';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const CANARY = 'canary.conformance.example';
export const NAMESPACE = 'hooks';

/** The record of a scenario on one of the servers. */
export interface ScenarioRecord {
  readonly answers: readonly Answer[];
  readonly reviews: readonly unknown[];
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly warnings: string | undefined;
  readonly body: unknown;
}

/** One of the servers that are compared. */
export class WebhookSide {
  private readonly side: HttpsSide;

  constructor(
    readonly name: string,
    url: string,
    token: string,
    private readonly webhooks: WebhookServer,
  ) {
    this.side = new HttpsSide(url, token);
  }

  close(): void {
    this.side.close();
  }

  async send({ method, path, body, type }: ScenarioStep): Promise<Answer> {
    const own: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const { status, headers, text } = await this.side.send({ method, path, body, headers: own });
    return { status, warnings: headers['warning'], body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async run(scenario: WebhookScenario): Promise<ScenarioRecord> {
    const configurations = [
      ...Object.entries(scenario.mutating ?? {}).map(([name, hooks]) => ({ kind: 'Mutating', name, hooks })),
      ...Object.entries(scenario.validating ?? {}).map(([name, hooks]) => ({ kind: 'Validating', name, hooks })),
    ];
    for (const [path, behaviour] of Object.entries(scenario.behaviours ?? {})) {
      this.webhooks.behave(this.path(path), behaviour);
    }
    try {
      for (const { kind, name, hooks } of configurations) await this.configure(kind, name, hooks);
      this.webhooks.received.length = 0;
      const answers: Answer[] = [];
      const reviews: ReceivedReview[] = [];
      const versions = new ObjectVersions();
      for (const step of scenario.steps) {
        const answer = await this.send(step);
        answers.push(normalized(answer, this.name) as Answer);
        reviews.push(...versions.withoutOutdated(this.webhooks.received.splice(0)));
        versions.add(answer.body);
      }
      return { answers, reviews: reviews.map((review) => normalized(receivedBy(review), this.name)) };
    } finally {
      for (const { kind, name } of configurations) await this.unconfigure(kind, name);
    }
  }

  /** Creates a configuration and waits until it is in effect, that is until its first webhook is asked about a probe. */
  private async configure(kind: string, name: string, hooks: readonly ScenarioWebhook[]): Promise<void> {
    const path = `${CANARY}/${name}`;
    this.webhooks.behave(this.path(path), () => ({ allowed: true }));
    const canary = this.webhook({
      name: CANARY,
      path,
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['limitranges'] }],
    });
    const webhooks = [canary, ...hooks.map((hook) => this.webhook(hook))];
    const body = { metadata: { name }, webhooks };
    const created = await this.send({ method: 'POST', path: `${REGISTRATION}/${collection(kind)}`, body });
    if (created.status !== 201) throw new Error(`${this.name} refuses ${name}: ${JSON.stringify(created.body)}`);
    await eventually(`${name} is in effect`, () => this.isAsked(path));
  }

  private async unconfigure(kind: string, name: string): Promise<void> {
    await this.send({ method: 'DELETE', path: `${REGISTRATION}/${collection(kind)}/${name}` });
    await eventually(`${name} is gone`, async () => !(await this.isAsked(`${CANARY}/${name}`)));
  }

  private async isAsked(path: string): Promise<boolean> {
    this.webhooks.received.length = 0;
    const body = { metadata: { name: 'probe' }, spec: { limits: [] } };
    await this.send({ method: 'POST', path: '/api/v1/namespaces/default/limitranges?dryRun=All', body });
    return this.webhooks.received.some((review) => review.path === this.path(path));
  }

  private webhook({ name, path = name, clientConfig, ...rest }: ScenarioWebhook): object {
    const { port, caBundle } = this.webhooks;
    const url = `https://127.0.0.1:${port}${this.path(String(path))}`;
    const text = JSON.stringify(clientConfig ?? { url, caBundle });
    return {
      name,
      clientConfig: JSON.parse(text.replace('PORT', String(port)).replace('"CA"', JSON.stringify(caBundle))) as object,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...rest,
    };
  }

  private path(name: string): string {
    return `/${this.name}/${name}`;
  }
}

function collection(kind: string): string {
  return `${kind.toLowerCase()}webhookconfigurations`;
}

function receivedBy({ path, query, headers, review }: ReceivedReview): object {
  const { accept, 'content-type': type, 'user-agent': agent } = headers;
  return { path, query, accept, type, agent, review };
}

/** Gives the parts of a record that are the same on both servers if they behave the same. */
function normalized(value: unknown, side: string): unknown {
  if (typeof value === 'string') {
    return value
      .replaceAll(`/${side}/`, '/SIDE/')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
  }
  if (Array.isArray(value)) return value.map((each) => normalized(each, side));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
  return Object.fromEntries(
    entries.map(([key, each]) => [key, key === 'resourceVersion' && each ? '<version>' : normalized(each, side)]),
  );
}
