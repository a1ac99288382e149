import { Module } from '@nestjs/common';
import { KopfModule, type KubeObject } from 'nestjs-kopf';
import { simulate } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { customResource } from '../../support/clusters/cluster.user.js';
import { DISKS, startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  JobsOperator,
  LimitedOperator,
  ModesOperator,
  NamedOperator,
  PatientOperator,
  StrictOperator,
  TranslatingOperator,
} from './errors.example.js';

describe('The examples of errors', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  it('should retry temporary errors after their delay', async () => {
    await harness.run(PatientOperator);
    await harness.create('a');
    await harness.advance(89);
    expect(harness.logger.messages('log')).not.toContain('[ns/a] The data is ready.');
    await harness.advance(2);
    expect(harness.logger.messages('log')).toContain('[ns/a] The data is ready.');
  });

  it('should not retry permanent errors', async () => {
    await harness.run(StrictOperator);
    await harness.create('a', { spec: {} });
    await harness.advance(3600);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/a] Handler 'create' failed permanently: Size must be set. Got undefined.",
    ]);
  });

  it('should treat arbitrary errors by their mode', async () => {
    await harness.run(ModesOperator);
    await harness.create('a');
    await harness.advance(3600);
    expect(harness.logger.messages('error')).toHaveLength(2);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 1 succeeded; 1 failed.');
  });

  it('should let the class and the handler decide on errors', async () => {
    await harness.run(TranslatingOperator);
    await harness.create('quota', { spec: { size: 11 } });
    await harness.create('invalid', { spec: { size: 0 } });
    await harness.create('fine', { spec: { size: 1 } });
    await harness.advance(10);
    await harness.patch('fine', { spec: { size: 2 } });
    await harness.advance(601);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/quota] Handler 'create' failed temporarily: There is no room.",
      "[ns/invalid] Handler 'create' failed permanently: The size is 0.",
      "[ns/quota] Handler 'create' failed temporarily: There is no room.",
    ]);
    expect((await harness.object('invalid')).status).toEqual({ phase: 'Invalid' });
    expect(harness.logger.messages('log')).toContain('[ns/fine] Updating is processed: 1 succeeded; 0 failed.');
  });

  it('should limit the attempts and the time', async () => {
    await harness.run(LimitedOperator);
    await harness.create('a');
    await harness.advance(3600);
    const lines = harness.logger.messages('log');
    expect(lines.filter((line) => line.includes('attempt'))).toHaveLength(3);
    expect(lines).toContain('[ns/a] The time is over.');
    expect(lines).toContain('[ns/a] Creation is processed: 0 succeeded; 2 failed.');
  });
});

const MAPS = '/api/v1/namespaces/ns/configmaps';

expect.extend(kopfMatchers);

/** Creates a child of an object. */
async function createMap(harness: OperatorHarness, name: string, { metadata }: KubeObject): Promise<void> {
  const owner = { apiVersion: 'example.com/v1', kind: 'Disk', name: metadata.name, uid: metadata.uid };
  await harness.send('POST', MAPS, { metadata: { name, ownerReferences: [owner] } });
}

describe('The examples of idempotence', () => {
  it('should make each child once, although the operator is killed in between', async () => {
    const harness = await startWithDisks();
    const names = async () => ((await harness.send('GET', MAPS)).items as KubeObject[]).map((map) => map.metadata.name);
    let creations = 0;
    await harness.run(JobsOperator, {
      intercept: ({ method, path }) => {
        if (method === 'POST' && path.startsWith(MAPS) && ++creations >= 2) throw new Error('The process is dead.');
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(1);
    harness.kill();
    expect(await names()).toHaveLength(1);
    await harness.run(JobsOperator);
    await harness.advance(120);
    expect(await names()).toHaveLength(2);
    const { status } = await harness.object('a');
    expect(await names()).toEqual(expect.arrayContaining([status['create/input'].name, status['create/output'].name]));
  });

  it('should find its own child, and wait until that of another object is gone', async () => {
    const harness = await startWithDisks();
    const [first, second] = [await harness.create('a'), await harness.create('b')];
    await createMap(harness, 'a', first);
    await createMap(harness, 'b', first);
    await harness.run(NamedOperator);
    await harness.advance(1);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/b] Handler 'create' failed temporarily: ConfigMap b belongs to another object.",
    ]);
    await harness.send('DELETE', `${MAPS}/b`);
    await harness.advance(5);
    const { metadata, data } = await harness.send('GET', `${MAPS}/b`);
    expect(metadata.ownerReferences).toMatchObject([{ name: 'b', uid: second.metadata.uid }]);
    expect(data).toEqual({ tier: 'slow' });
  });

  it('should leave the child alone if a request for an object of the same name, which is gone, comes late', async () => {
    @Module({ imports: [KopfModule.forRoot()], providers: [NamedOperator] })
    class NamedModule {}
    const example = { apiVersion: 'example.com/v1', kind: 'Disk', metadata: { name: 'a', namespace: 'ns' } };
    const report = await simulate(NamedModule, {
      world: { objects: [customResource(DISKS), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }] },
      workload: async (kube) => {
        await kube.apply({ ...example, spec: { tier: 'slow' } });
        await kube.settled();
      },
      // With apply() in the place of create(), the child is missing in the end.
      plans: [1, 2].map((afterChange) => ({
        seed: 1,
        faults: [
          { kind: 'recreate', resource: 'disks.example.com', namespace: 'ns', name: 'a', afterChange },
          { kind: 'lost-answer', ofWrite: 1 },
        ],
      })),
    });
    expect(report).toHaveNoFindings();
  });
});
