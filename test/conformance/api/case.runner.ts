// Runs a case on one server.
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiSide, SideRequest, SideWatch } from './api.side.js';
import type { Answer } from './answer.normaliser.js';
import type { CaseStep, ConformanceCase } from './case.reader.js';
import { valueAt } from './row.changes.js';

const UNTIL_LIMIT = 15_000;

/** The answers to the steps of a case, one for each, and then the events of its watches. */
export async function runCase(
  { steps }: Pick<ConformanceCase, 'steps'>,
  side: ApiSide,
  id: string,
): Promise<(Answer | undefined)[]> {
  const run = new CaseRun(side, { id, ns: `ns-${id}` });
  if (steps.some((step) => JSON.stringify(step).includes('{ns}'))) await prepareNamespace(side, `ns-${id}`);
  try {
    const answers: (Answer | undefined)[] = [];
    for (const step of steps) answers.push(await run.perform(step));
    return [...answers, ...run.watched()];
  } finally {
    run.close();
  }
}

/** Makes a namespace, and the account without which the real server refuses pods. */
export async function prepareNamespace(side: ApiSide, name: string): Promise<void> {
  const send = (path: string, body: object): Promise<Answer> => side.send({ method: 'POST', path, headers: {}, body });
  const { code } = await send('/api/v1/namespaces', { metadata: { name } });
  if (code !== 201) throw new Error(`${side.name} does not create namespace ${name}: ${code}`);
  await send(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
}

class CaseRun {
  private readonly watches: SideWatch[] = [];

  constructor(
    private readonly side: ApiSide,
    private readonly values: Record<string, string>,
  ) {}

  /** The answer, if the step has one. */
  async perform(step: CaseStep): Promise<Answer | undefined> {
    if (step.form === 'events') {
      await this.watches.at(-1)?.until(Number(step.until));
      return undefined;
    }
    const request = this.filled(step);
    if (step.form === 'watch') {
      this.watches.push(await this.side.watch(request));
      return undefined;
    }
    const answer = step.form === 'until' ? await this.poll(request, step.until!) : await this.side.send(request);
    for (const [name, path] of Object.entries(step.captures)) {
      this.values[name] = String(valueAt(answer.body, path));
    }
    return answer;
  }

  /** The events of the watches, one answer for each watch. */
  watched(): Answer[] {
    return this.watches.map(({ events }) => ({ code: 200, body: events }));
  }

  close(): void {
    for (const watch of this.watches) watch.close();
  }

  private async poll(request: SideRequest, condition: string): Promise<Answer> {
    const [path, value] = condition.split('=');
    const limit = performance.now() + UNTIL_LIMIT;
    for (;;) {
      const answer = await this.side.send(request);
      const found = path === 'code' ? answer.code : valueAt(answer.body, path);
      if (String(found) === value || performance.now() > limit) return answer;
      await pause(50);
    }
  }

  private filled({ method, path, headers, body }: CaseStep): SideRequest {
    const fill = (text: string): string =>
      text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => this.values[name] ?? whole);
    return {
      method,
      path: fill(path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
      body:
        body === undefined ? undefined : typeof body === 'string' ? fill(body) : JSON.parse(fill(JSON.stringify(body))),
    };
  }
}
