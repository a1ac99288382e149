import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplyStep } from './apply.steps.js';

/** The response to a request. */
export interface ApplyAnswer {
  readonly step: string;
  readonly status: number;
  readonly warnings: string | undefined;
  readonly body: unknown;
}

/** One of the servers on which configurations are applied. */
export class ApplySide {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  close(): void {
    this.agent.destroy();
  }

  /** Sends the requests one after the other; what differs from server to server is taken out of the answers. */
  async run(steps: readonly ApplyStep[]): Promise<ApplyAnswer[]> {
    const answers: ApplyAnswer[] = [];
    for (const step of steps) {
      if (step.pause) await sleep(step.pause);
      answers.push(await this.send(step));
    }
    return answers;
  }

  send({
    method,
    path,
    body,
    type = 'application/json',
    agent = 'conformance/1',
    compares,
  }: ApplyStep): Promise<ApplyAnswer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.token}`,
      accept: 'application/json',
      'user-agent': agent,
      ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      request(`${this.url}${path}`, { method, agent: this.agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8');
          resolve({
            step: `${method} ${path}`,
            status: response.statusCode ?? 0,
            warnings: response.headers['warning'],
            body: compared(normalise(answer.startsWith('{') ? JSON.parse(answer) : answer), compares),
          });
        });
      })
        .on('error', reject)
        .end(text);
    });
  }
}

/** Entries with different times are sorted by them, and conflicts with several managers come in any order. */
const UNORDERED = new Set(['managedFields', 'causes']);

function compared(body: unknown, part: ApplyStep['compares']): unknown {
  const { metadata } = body as { metadata?: { managedFields?: unknown } };
  if (!part || !metadata?.managedFields) return body;
  const { managedFields, ...others } = metadata;
  return part === 'owners' ? managedFields : { ...(body as object), metadata: others };
}

function normalise(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    // The fields that do not fit their types come in any order, too.
    const [first, ...lines] = value.split('\n  ');
    return [first, ...lines.sort()]
      .join('\n  ')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
  }
  if (Array.isArray(value)) {
    const items = value.map((each) => normalise(each));
    return UNORDERED.has(key) ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, each]) => [name, name === 'resourceVersion' && each ? '<version>' : normalise(each, name)]),
  );
}
