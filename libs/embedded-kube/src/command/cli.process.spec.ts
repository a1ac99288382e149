import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../common/random.js';
import { CliProcess, compileSources, removeCompiled } from './cli.process.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let compiled: string;
let folder: string;
let agent: Agent;
beforeAll(() => {
  compiled = compileSources();
});
afterAll(() => removeCompiled(compiled));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  agent = new Agent({ keepAlive: true });
});
afterEach(() => {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Promise<CliProcess> =>
  CliProcess.start(compiled, '--port', '0', '--data', join(folder, 'data'), '--kubeconfig', join(folder, 'kubeconfig'));

/** Sends a request as the kubeconfig says. */
const send = async (path: string, method = 'GET', body?: object) => {
  const text = readFileSync(join(folder, 'kubeconfig'), 'utf8');
  const value = (key: string): string => new RegExp(`${key}: (\\S+)`).exec(text)![1]!;
  const outgoing = request(value('server') + path, {
    method,
    agent,
    ca: Buffer.from(value('certificate-authority-data'), 'base64'),
    headers: { authorization: `Bearer ${value('token')}`, 'content-type': 'application/json' },
  });
  outgoing.end(body && JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let answer = '';
  for await (const chunk of response) answer += String(chunk);
  return { status: response.statusCode, body: JSON.parse(answer) };
};

describe('the command', () => {
  it('should keep every acknowledged write when it is killed in a stream of writes', async () => {
    const random = new SeededRandom(42);
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < 4; round += 1) {
      const server = await start();
      const killAfter = acknowledged.size + 50 + Math.floor(random.next() * 200);
      let killed: Promise<unknown> | undefined;
      const write = async (writer: number): Promise<void> => {
        for (let index = 0; !killed; index += 1) {
          const name = `m-${round}-${writer}-${index}`;
          const created = await send(MAPS, 'POST', { metadata: { name }, data: { text: 'x'.repeat(2000) } });
          expect(created.status).toBe(201);
          acknowledged.set(name, created.body.metadata.resourceVersion as string);
          if (acknowledged.size >= killAfter) killed ??= server.end('SIGKILL');
        }
      };
      // What is in flight at the end fails, and was not acknowledged.
      await Promise.allSettled(Array.from({ length: 8 }, (_, writer) => write(writer)));
      await killed;
      agent.destroy();
    }
    const server = await start();
    const { body } = await send(MAPS);
    const stored = new Map<string, string>(
      body.items.map(({ metadata }: { metadata: { name: string; resourceVersion: string } }) => [
        metadata.name,
        metadata.resourceVersion,
      ]),
    );
    expect(acknowledged.size).toBeGreaterThan(200);
    for (const [name, version] of acknowledged) expect([name, stored.get(name)]).toEqual([name, version]);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Math.max(...[...acknowledged.values()].map(Number)),
    );
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('should be the same server after a restart: objects, definitions, token, certificate', async () => {
    const first = await start();
    const kubeconfig = readFileSync(join(folder, 'kubeconfig'), 'utf8');
    await send(MAPS, 'POST', { metadata: { name: 'a' } });
    await first.end('SIGTERM');
    const second = await start();
    const again = readFileSync(join(folder, 'kubeconfig'), 'utf8');
    expect(again.replace(second.url, '')).toBe(kubeconfig.replace(first.url, ''));
    expect((await send(`${MAPS}/a`)).status).toBe(200);
    expect(statSync(join(folder, 'kubeconfig')).mode & 0o777).toBe(0o600);
    await second.end('SIGTERM');
  });

  it('should refuse a folder that another one uses, in one line', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(/exit 1: embedded-kube: .* is in use by process \d+/);
    await first.end('SIGTERM');
  });

  it('should explain itself', async () => {
    await expect(CliProcess.start(compiled, '--help')).rejects.toThrow(/exit 0: Usage: embedded-kube/);
    await expect(CliProcess.start(compiled, '--port', 'x')).rejects.toThrow(/exit 2: --port must be a number/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('should end cleanly on %s', async (signal) => {
    const server = await start();
    expect(existsSync(join(folder, 'kubeconfig'))).toBe(true);
    expect(await server.end(signal)).toBe(0);
    expect(server.errors()).toBe('');
    expect(existsSync(join(folder, 'kubeconfig'))).toBe(false);
  });
});
