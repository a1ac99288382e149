import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CoordinationMode } from 'nestjs-kopf';
import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import { TestProcess } from '../../support/programs/child.process.js';
import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { describeFreezing } from './freezing.suite.js';
import { overlapsOf, readNotes } from './replica.notes.js';
import { isHandled } from '../../support/operators/stored.progress.js';
import { administrator, define, definePeering } from '../../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../../support/clusters/control-plane.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const NAMES = Array.from({ length: 60 }, (_, index) => `object-${index}`);

let bundle: Bundle;
let cluster: ControlPlane;
let user: ClusterUser;
let folder: string;

beforeAll(async () => {
  bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/replica.operator.ts'));
  cluster = await startControlPlane({ controllers: false });
  user = administrator(cluster);
  folder = mkdtempSync(join(tmpdir(), 'replicas-'));
  await define(user);
  await definePeering(user);
}, 300_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
  bundle?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function start(mode: CoordinationMode, identity: string, priority: number, file: string): TestProcess {
  const env = { KUBECONFIG: cluster.kubeconfigPath, IDENTITY: identity, MODE: mode, PRIORITY: String(priority) };
  const process_ = new TestProcess(process.execPath, [bundle.path], { ...env, CALLS_FILE: file });
  onTestFinished(() => process_.kill());
  return process_;
}

describe.each([
  { mode: 'peering', takeover: 8, objects: '8 s of lifetime' },
  { mode: 'lease', takeover: 6 + 1.1, objects: '6 s of lease duration, and 1.1 s until the next look' },
] as const)('two replicas that agree by $mode', ({ mode, takeover }) => {
  it('should survive that the active one is killed in the middle of its work', async () => {
    const file = join(folder, mode);
    writeFileSync(file, '');
    const notes = () => readNotes(file);
    const active = start(mode, 'active', 2, file);
    await eventually('the first one is ready', () => active.output.includes('The operator is ready: it watches'));
    const standby = start(mode, 'standby', 1, file);
    await eventually('the second one is ready', () => standby.output.includes('The operator is ready: it pauses'));
    for (const name of NAMES) {
      await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: {} });
    }
    await eventually('some work is done', () => notes().length > 20);
    await active.kill();
    const died = Date.now();
    await eventually('everything is handled', async () => (await user.list(OBJECTS)).every(isHandled), 60);
    await pause(500);

    const first = notes().find(({ by }) => by === 'standby');
    expect((first!.at - died) / 1000).toBeLessThanOrEqual(takeover + 0.5);
    const ended = notes().filter(({ what }) => what === 'end');
    expect(new Set(ended.map(({ name }) => name))).toEqual(new Set(NAMES));
    expect(new Set(ended.map(({ by }) => by))).toEqual(new Set(['active', 'standby']));
    expect(overlapsOf(notes(), 'active', died)).toEqual([]);
    expect(standby.output).not.toMatch(/ERROR/);
    await standby.stop();
    for (const name of NAMES) await user.delete(`${OBJECTS}/${name}`);
  });
});

describeFreezing(() => ({ user, program: bundle.path, kubeconfig: cluster.kubeconfigPath }));
