import { readManifests } from '../../support/clusters/manifests.js';
import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import {
  BackupOperator,
  Backups,
  DiskOperator,
  inProduction,
  onALaptop,
  PauseController,
  replicas,
} from './replicas.example.js';

describe('The examples of leases', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  function run(identity: string, options: OperatorOptions) {
    return harness.run(DiskOperator, { ...options, peering: { identity } });
  }

  it('should let the replica with the Lease work', async () => {
    const one = await run('one', replicas);
    const two = await run('two', replicas);
    expect([one.state, two.state]).toEqual(['running', 'paused']);
    await harness.stop(one);
    await harness.advance(5);
    expect(two.state).toBe('running');
  });

  it('should end what is under way when the Lease is lost', async () => {
    const signals: AbortSignal[] = [];
    const backups: Backups = {
      make: (_name, { signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    await harness.run(DiskOperator, {
      ...replicas,
      providers: [BackupOperator, { provide: Backups, useValue: backups }],
      peering: { identity: 'one' },
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await harness.kube.faults.goDown();
    await harness.advance(15);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await harness.kube.faults.comeBack();
  });
});

describe('The examples of peering', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
    for (const manifest of readManifests('peering.yaml')) {
      await harness.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', manifest);
    }
    await harness.advance(1);
  });

  function run(identity: string, options: OperatorOptions) {
    return harness.run([DiskOperator, PauseController], {
      ...options,
      peering: { ...options.peering, identity },
    });
  }

  it('should let the operator with the highest priority work', async () => {
    const production = await run('production', { ...inProduction, unready: true });
    await harness.advance(30);
    expect(production.state).not.toBe('running');
    const metadata = { name: 'default' };
    const peering = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata };
    await harness.send('POST', '/apis/kopf.dev/v1/clusterkopfpeerings', peering);
    await harness.advance(60);
    expect(production.state).toBe('running');
    const laptop = await run('laptop', onALaptop);
    await harness.advance(1);
    expect([production.state, laptop.state]).toEqual(['paused', 'running']);
    expect(harness.get(PauseController).status()).toEqual({
      paused: false,
      reasons: [],
      peers: expect.arrayContaining(['laptop: 666', 'production: 0']) as string[],
    });
    await harness.stop(laptop);
    await harness.advance(1);
    expect(production.state).toBe('running');
  });

  it('should pause by hand', async () => {
    const operator = await run('one', { peering: { standalone: true } });
    const controller = harness.get<PauseController>(PauseController);
    controller.pause();
    await harness.create('a');
    await harness.advance(60);
    expect(controller.status()).toMatchObject({ paused: true, reasons: ['It is maintained.'] });
    expect((await harness.object('a')).status).toBeUndefined();
    controller.resume();
    await harness.advance(1);
    expect(operator.state).toBe('running');
    expect((await harness.object('a')).status).toEqual({ create: 'created' });
  });
});
