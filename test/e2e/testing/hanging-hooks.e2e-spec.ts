import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { TestProcess } from '../../support/programs/child.process.js';
import { eventually } from '../../support/time/eventually.js';

const root = join(import.meta.dirname, '../../..');

const START = `
import { OnStartup } from 'nestjs-kopf';
import { KopfTest } from 'nestjs-kopf/testing';

class Hanging {
  start() {
    return new Promise<void>(() => {});
  }
}
// The file is compiled without the options of the workspace.
OnStartup()(Hanging.prototype, 'start', Object.getOwnPropertyDescriptor(Hanging.prototype, 'start')! as never);
`;

/** What Jest does: it gives up a hook, and ends when nothing keeps its process alive. */
const RUNNER = (options: string) => `${START}
const limit = new Promise((resolve) => setTimeout(resolve, 500, 'the hook is over'));
console.log(await Promise.race([KopfTest.create(${options}), limit]));
`;

const VITEST = `${START}
beforeAll(async () => {
  await KopfTest.create({ providers: [Hanging] });
}, 500);

it('should never be called', () => {});
`;

const CONFIG = `
import { defineConfig } from 'vitest/config';
import { BASE } from '${join(root, 'test/support/runner/vitest.base.ts')}';

export default defineConfig({ ...BASE, root: import.meta.dirname, test: { globals: true, include: ['*.spec.ts'] } });
`;

/** Seconds after which an operator that does not start is given up, with some more for the start and the end of the process. */
const PATIENCE = 130;

describe.concurrent('A test runner whose hook waits for an operator that never starts', { timeout: 150_000 }, () => {
  function createFolder(files: Readonly<Record<string, string>>, { onTestFinished }: TestContext): string {
    // Within the workspace, so that its packages are found.
    const parent = join(root, '.embedded-kube');
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(join(parent, 'hanging-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }

  async function outlast(args: readonly string[], { onTestFinished }: TestContext): Promise<TestProcess> {
    const child = new TestProcess(process.execPath, args);
    onTestFinished(() => child.kill());
    await eventually('the process has ended', () => !child.running, PATIENCE);
    return child;
  }

  async function run(options: string, context: TestContext): Promise<void> {
    const file = join(createFolder({ 'runner.ts': RUNNER(options) }, context), 'runner.ts');
    const { exitCode, output } = await outlast([join(root, 'test/tools/run-operator.mjs'), file], context);
    expect(output).toContain('the hook is over');
    // What create() rejects with is nobody's any more.
    expect(exitCode).toBe(0);
  }

  it('should end if time is virtual', (context) => run(`{ providers: [Hanging] }`, context));

  it('should end if time is real', (context) => run(`{ providers: [Hanging], time: 'real' }`, context));

  it('should end if the cluster never answers', async (context) => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const kubeconfig = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token: 't' } }],
    });
    await run(`{ providers: [Hanging], kubeconfig: ${JSON.stringify(kubeconfig)} }`, context);
  });

  it('should end if it is Vitest', async (context) => {
    const folder = createFolder({ 'hanging.spec.ts': VITEST, 'vitest.config.ts': CONFIG }, context);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { exitCode, output } = await outlast([vitest, 'run', '--config', join(folder, 'vitest.config.ts')], context);
    expect(output).toMatch(/Hook timed out in 500ms/);
    expect(output).not.toMatch(/close timed out|prevents .* from exiting/);
    expect(exitCode).toBe(1);
  });
});
