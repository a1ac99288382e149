import { setTimeout as sleep } from 'node:timers/promises';
import { HttpsSide } from '../https.side.js';
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
  private readonly side: HttpsSide;

  constructor(url: string, token: string) {
    this.side = new HttpsSide(url, token);
  }

  close(): void {
    this.side.close();
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

  async send({ method, path, body, type, agent, compares }: ApplyStep): Promise<ApplyAnswer> {
    const own = {
      ...(type !== undefined && { 'content-type': type }),
      ...(agent !== undefined && { 'user-agent': agent }),
    };
    const { status, headers, text } = await this.side.send({ method, path, body, headers: own });
    return {
      step: `${method} ${path}`,
      status,
      warnings: headers['warning'],
      body: compared(normalise(text.startsWith('{') ? JSON.parse(text) : text), compares),
    };
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
