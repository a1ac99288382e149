import type {
  ConsoleActionAnswer,
  InspectedObject,
  ConsoleOverview,
  InspectedPage,
} from '../../../libs/kopf-console/src/console.api.js';
import { SituationsOperator } from '../../conformance/cli/fixtures/situations.operator.js';
import { startEmbeddedCluster, type TestCluster } from '../../conformance/test.cluster.js';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { ConsoleVisitor } from '../../support/programs/console.visitor.js';
import { eventually } from '../../support/time/eventually.js';
import { KopfCommand, type RunningCommand } from '../../support/programs/kopf.command.js';
import { LocalOperator } from '../../support/operators/local.operator.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

describe('kopf console', () => {
  let cluster: TestCluster;
  let kopf: KopfCommand;
  let operator: LocalOperator;
  let command: RunningCommand | undefined;

  beforeAll(async () => {
    cluster = await startEmbeddedCluster();
    kopf = new KopfCommand(cluster.credentials);
    await cluster.user.create(DEFINITIONS, customResource({ statusSubresource: true }));
    operator = await LocalOperator.start(SituationsOperator, { credentials: cluster.credentials });
  });

  afterEach(async () => {
    if (!command) return;
    command.signal('SIGTERM');
    expect(await command.outcome).toMatchObject({ code: 0, err: '' });
    command = undefined;
  });

  afterAll(async () => {
    kopf.remove();
    await operator.stop();
    await cluster.stop();
  });

  async function open(...args: readonly string[]): Promise<ConsoleVisitor> {
    command = kopf.start(['console', ...args]);
    return ConsoleVisitor.open(command);
  }

  async function create(name: string, mode: string): Promise<void> {
    const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { mode } };
    await cluster.user.create(OBJECTS, body);
  }

  it('should show what an operator does with the objects of the cluster', async () => {
    const visitor = await open();
    await create('shown', 'waiting');
    const { items } = await eventually('the attempt has failed', async () => {
      const page = await visitor.read<InspectedPage<InspectedObject>>('objects?phase=failing');
      return page.total > 0 && page;
    });
    expect(items).toMatchObject([{ name: 'shown', handlers: ['retried'], retries: 1, error: 'not yet' }]);
    expect(await visitor.read<ConsoleOverview>('overview')).toMatchObject({
      state: 'observed',
      counts: { failing: 1 },
      actions: [],
    });
    await expect(visitor.act('retry', { object: items[0], dryRun: false })).rejects.toThrow('404');
  });

  it('should do what it is allowed to, as the user', async () => {
    const visitor = await open('--allow', 'retry,complete,release', '--resource', 'kopfexamples');
    expect(await visitor.read<ConsoleOverview>('overview')).toMatchObject({
      actions: ['retry', 'complete', 'release'],
    });
    await create('acted', 'waiting');
    const find = async (): Promise<InspectedObject | undefined> =>
      (await visitor.read<InspectedPage<InspectedObject>>('objects?search=acted')).items[0];
    const object = await eventually('the attempt has failed', async () => {
      const found = await find();
      return found?.retries === 1 && found;
    });
    expect(await visitor.act<ConsoleActionAnswer>('retry', { object })).toMatchObject({ done: false });
    expect(await visitor.act<ConsoleActionAnswer>('retry', { object, dryRun: false })).toMatchObject({ done: true });
    await eventually('the handler is called again', async () => (await find())?.retries === 2);
    await visitor.act('complete', { object, handler: 'retried', dryRun: false });
    await eventually('the handler is done', async () => (await find())?.phase === 'idle');
    await cluster.user.delete(`${OBJECTS}/acted`);
    await eventually('the deletion waits', async () => (await find())?.phase === 'failing');
    await visitor.act('release', { object, dryRun: false });
    await eventually('the object has gone', async () => (await find()) === undefined);
  });

  it('should say that there is no such resource', async () => {
    expect(await kopf.run('console', '--resource', 'nothing')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('The cluster has no resource nothing.'),
    });
  });

  it('should say that there is no such action', async () => {
    expect(await kopf.run('console', '--allow', 'retry,pause')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--allow takes retry, postpone, complete, repeat, release'),
    });
  });
});
