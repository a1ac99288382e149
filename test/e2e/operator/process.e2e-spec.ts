import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

describe('An operator in a process of its own', () => {
  let folder: string;
  let bundle: Bundle;
  let kube: EmbeddedKube;
  let user: ClusterUser;
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kopf-process-'));
    bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/lifecycle.program.ts'));
    kube = await EmbeddedKube.start();
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
  }, 60_000);

  afterAll(async () => {
    await kube?.stop();
    bundle?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<{ child: ChildProcess; lines: string[] }> {
    const child = spawn(process.execPath, [bundle.path], {
      env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    child.stdout!.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
    await eventually('the operator', () => lines.includes('ready'));
    return { child, lines };
  }

  async function create(labels = {}): Promise<string> {
    const name = `object-${count++}`;
    await user.create(OBJECTS, {
      apiVersion: 'kopf.dev/v1',
      kind: 'KopfExample',
      metadata: { name, labels },
      spec: {},
    });
    onTestFinished(async () => {
      const path = `${OBJECTS}/${name}`;
      await user.patch(path, { metadata: { finalizers: null } });
      await user.delete(path);
    });
    return name;
  }

  async function timeToExit(child: ChildProcess, ...signals: NodeJS.Signals[]): Promise<number> {
    const exited = once(child, 'exit');
    const begun = performance.now();
    for (const signal of signals) child.kill(signal);
    await exited;
    return (performance.now() - begun) / 1000;
  }

  it('should finish its stop although it is told to stop again', async () => {
    const { child, lines } = await start();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await eventually('the cleanup', () => lines.includes('cleanup started'));
    child.kill('SIGTERM');
    await exited;
    expect(lines.filter((line) => line.startsWith('cleanup'))).toEqual(['cleanup started', 'cleanup done']);
    expect(child.signalCode).toBe('SIGTERM');
  });

  it('should exit in time with a daemon that ignores everything, and work until then', async () => {
    const { child, lines } = await start({ BEHAVIOUR: 'ignoring', SECONDS: '0' });
    await create({ daemon: 'yes' });
    await eventually('the daemon', () => lines.includes('daemon started'));
    const name = await create();
    await eventually('the work beside it', () => lines.includes(`event ADDED ${name}`));
    expect(await timeToExit(child, 'SIGTERM', 'SIGTERM')).toBeLessThan(5);
    expect(lines).toContain('cleanup done');
  });

  it('should go on, and exit in time, after a daemon has blocked it for three seconds', async () => {
    const { child, lines } = await start({ BEHAVIOUR: 'blocking', SECONDS: '0' });
    await create({ daemon: 'yes' });
    await eventually('the daemon', () => lines.includes('daemon started'));
    const name = await create();
    await eventually('the work after it', () => lines.includes(`event ADDED ${name}`));
    expect(lines).toContain('daemon done');
    expect(await timeToExit(child, 'SIGTERM')).toBeLessThan(5);
    expect(lines).toContain('cleanup done');
  });

  it('should stop in time if it is told to while a daemon blocks it', async () => {
    const { child, lines } = await start({ BEHAVIOUR: 'blocking', SECONDS: '0' });
    await create({ daemon: 'yes' });
    await eventually('the daemon', () => lines.includes('daemon started'));
    expect(await timeToExit(child, 'SIGTERM')).toBeLessThan(8);
    expect(lines.slice(-2)).toEqual(['cleanup started', 'cleanup done']);
  });

  it('should survive a daemon that throws at once', async () => {
    const { child, lines } = await start({ BEHAVIOUR: 'throwing', SECONDS: '0' });
    await create({ daemon: 'yes' });
    await eventually('the daemon', () => lines.includes('daemon started'));
    const name = await create();
    await eventually('the work beside it', () => lines.includes(`event ADDED ${name}`));
    expect(await timeToExit(child, 'SIGTERM')).toBeLessThan(5);
    expect(lines.filter((line) => line.startsWith('unhandled'))).toEqual([]);
  });
});
