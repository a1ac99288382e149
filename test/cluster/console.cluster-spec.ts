import { join } from 'node:path';
import type {
  InspectedCoordination,
  InspectedHandler,
  OperatorActivity,
  InspectedObject,
  InspectedObjectDetails,
  InspectedPage,
} from '../../libs/kopf-console/src/console.api.js';
import { administrator, credentialsOf, define, definePeering } from '../support/clusters/cluster.access.js';
import { TestProcess } from '../support/programs/child.process.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { ConsoleVisitor } from '../support/programs/console.visitor.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { eventually } from '../support/time/eventually.js';
import { KopfCommand, type RunningCommand } from '../support/programs/kopf.command.js';
import { installPythonKopf } from '../support/operators/python.kopf.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const RESOURCE = 'kopfexamples.kopf.dev';

describe("kopf console with an operator of Python's Kopf", () => {
  let cluster: ControlPlane;
  let user: ClusterUser;
  let kopf: KopfCommand;
  let command: RunningCommand;
  let visitor: ConsoleVisitor;
  let operator: TestProcess;

  beforeAll(async () => {
    const python = await installPythonKopf();
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
    await define(user);
    await definePeering(user);
    kopf = new KopfCommand(credentialsOf(cluster));
    const script = join(import.meta.dirname, 'fixtures/console_operator.py');
    const args = ['-m', 'kopf', 'run', '--all-namespaces', '--peering', 'default', '--verbose', script];
    operator = new TestProcess(python, args, { KUBECONFIG: cluster.kubeconfigPath });
    command = kopf.start(['console', '--allow', 'retry']);
    visitor = await ConsoleVisitor.open(command);
  }, 300_000);

  afterAll(async () => {
    command?.signal('SIGTERM');
    await operator?.stop();
    expect(await command?.outcome).toMatchObject({ code: 0, err: '' });
    kopf?.remove();
    await user?.close();
    await cluster?.stop();
  });

  async function create(name: string, mode: string, finalizers: readonly string[] = []): Promise<void> {
    const metadata = { name, finalizers };
    await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { mode } });
  }

  async function find(name: string): Promise<InspectedObject | undefined> {
    const { items } = await visitor.read<InspectedPage<InspectedObject>>(`objects?search=default/${name}`);
    return items.find((each) => each.name === name);
  }

  /** Waits until the console shows an object so, which Python's Kopf takes its time for. */
  async function isShown(name: string, expected: Partial<InspectedObject>): Promise<void> {
    await expect.poll(() => find(name), { timeout: 20_000, message: operator.output }).toMatchObject(expected);
  }

  const detailsOf = (name: string): Promise<InspectedObjectDetails> =>
    visitor.read<InspectedObjectDetails>(`objects/${RESOURCE}/default/${name}`);

  it('should show what waits, what fails, and what has failed', { timeout: 120_000 }, async () => {
    await create('calm', 'calm');
    await create('retried-a', 'retried');
    await create('retried-b', 'retried');
    await create('broken', 'broken');
    await create('unexpected', 'unexpected');
    await create('nested', 'nested');
    await isShown('retried-a', {
      phase: 'failing',
      retries: 1,
      handlers: ['create'],
      error: 'no disk 7 for retried-a',
    });
    await isShown('retried-b', { phase: 'failing' });
    await isShown('broken', { phase: 'failed', retries: 0, handlers: [], error: 'the size is wrong' });
    await isShown('unexpected', { phase: 'failing', error: '42 is not the answer' });
    await isShown('nested', { phase: 'failing', handlers: ['nested', 'nested.inner'], error: 'the inner one waits' });
    await isShown('calm', { phase: 'idle', handlers: [], deleting: false });
    const { failing, waiting, totals } = await visitor.read<OperatorActivity>('now');
    expect(failing.slice(0, 2)).toMatchObject([
      { kind: 'failed', error: 'the size is wrong', handler: 'create', count: 1 },
      { kind: 'retrying', error: 'no disk … for …', handler: 'create', count: 2 },
    ]);
    expect(waiting.map(({ name, handler }) => `${name} ${handler}`)).toContain('unexpected create');
    // Those that are retried, and the one that has failed for good.
    expect(totals.failing).toBe(5);
    const handlers = await visitor.read<readonly InspectedHandler[]>('handlers');
    expect(handlers.find(({ id }) => id === 'create')).toMatchObject({ retried: 3, failed: 1, succeeded: 2 });
  });

  it('should show when a handler is due, and call it again now', { timeout: 120_000 }, async () => {
    const { object, progress, findings, events } = await detailsOf('retried-a');
    expect(progress).toMatchObject([{ handler: 'create', state: 'waiting', purpose: 'create', attempts: 1 }]);
    expect(progress[0].dueAt! - progress[0].startedAt!).toBeGreaterThan(590_000);
    expect(findings).toMatchObject([{ code: 'handler-waits' }]);
    expect(events.map(({ text }) => text)).toEqual([
      'The object was created.',
      'The handler create is called again later: no disk 7 for retried-a',
    ]);
    await visitor.act('retry', { object, dryRun: false });
    await eventually('another attempt', async () => (await find('retried-a'))?.retries === 2);
  });

  it('should show who holds a deletion', { timeout: 120_000 }, async () => {
    await create('foreign', 'calm', ['example.com/other']);
    await isShown('foreign', { phase: 'idle' });
    await user.delete(`${OBJECTS}/foreign`);
    await user.delete(`${OBJECTS}/retried-b`);
    await isShown('foreign', { phase: 'deleting', deleting: true });
    await isShown('retried-b', { phase: 'failing', deleting: true, handlers: ['remove'], error: 'still in use' });
    await eventually(
      'only the other finalizer is left',
      async () => (await detailsOf('foreign')).finalizers.length === 1,
    );
    expect((await detailsOf('foreign')).finalizers).toEqual([
      { name: 'example.com/other', owner: 'others', reason: expect.stringContaining('another controller') },
    ]);
    expect((await detailsOf('retried-b')).findings.map(({ code }) => code)).toEqual([
      'deletion-waits-for-handlers',
      'handler-waits',
    ]);
  });

  it('should show the operators, and what is left when they have gone', { timeout: 120_000 }, async () => {
    const peersOf = async () => (await visitor.read<InspectedCoordination>('coordination')).peerings[0].peers;
    expect(await peersOf()).toMatchObject([{ priority: 0 }]);
    await operator.stop();
    await eventually('the operator has gone', async () => (await peersOf()).length === 0);
    await user.delete(`${OBJECTS}/calm`);
    await isShown('calm', { phase: 'deleting' });
    expect((await detailsOf('calm')).findings.map(({ code }) => code)).toEqual(['deletion-without-operator']);
  });
});
