import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import { TestProcess } from '../../support/programs/child.process.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

describe('An operator in a process that is killed in the middle of a handler', () => {
  let folder: string;
  let bundle: Bundle;
  let kube: EmbeddedKube;
  let user: ClusterUser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crash-'));
    bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/crash.program.ts'));
    kube = await EmbeddedKube.start();
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
  });

  afterAll(async () => {
    bundle?.remove();
    await kube?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should run this handler again in the next process, and not those that had succeeded', async () => {
    const file = join(folder, 'calls');
    writeFileSync(file, '');
    const calls = (): string[] => readFileSync(file, 'utf8').trim().split('\n');
    const start = (env: Record<string, string>): TestProcess =>
      new TestProcess(process.execPath, [bundle.path], {
        ...env,
        KUBECONFIG: join(folder, 'kubeconfig'),
        CALLS_FILE: file,
      });

    const killed = start({ HANGING: 'yes' });
    await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' }, spec: {} });
    await eventually('the second handler is running', () => (killed.check(), calls().includes('second a')));
    await killed.kill();
    expect((await user.get(`${OBJECTS}/a`))?.status).toEqual({ first: 'done' });

    const next = start({});
    const handled = await eventually('the object is handled', async () => {
      next.check();
      const object = await user.get(`${OBJECTS}/a`);
      return object?.metadata.annotations?.['kopf.zalando.org/last-handled-configuration'] ? object : undefined;
    });
    await next.stop();
    expect(calls()).toEqual(['first a', 'second a', 'second a']);
    expect(handled.status).toEqual({ first: 'done', second: 'done' });
    expect(Object.keys(handled.metadata.annotations!)).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });
});
