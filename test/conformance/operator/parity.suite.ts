import type { Type } from '@nestjs/common';
import { OnCreate, OnDelete, OnUpdate, TemporaryError, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { isHandled } from '../../support/operators/stored.progress.js';
import { RecordedCalls } from './recorded.calls.js';
import type { TestCluster } from '../test.cluster.js';

const EXAMPLES = ['kopf.dev/v1', 'kopfexamples'] as const;
const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

function makeOperator(calls: RecordedCalls): Type {
  class ParityOperator {
    @OnUpdate(...EXAMPLES, { field: 'spec.bucket' })
    move(context: ChangeContext) {
      calls.add('move', context);
      throw new TemporaryError('not yet', { delay: 600 });
    }

    @OnDelete(...EXAMPLES, { field: 'spec.bucket' })
    drop(context: ChangeContext) {
      calls.add('drop', context);
    }

    @OnUpdate(...EXAMPLES)
    parts({ subhandler }: ChangeContext) {
      subhandler('size', ({ new: size }) => size as number, { field: 'spec.size' });
    }

    @OnCreate(...EXAMPLES, { labels: { verbose: 'yes' }, retries: 3, backoff: 0.1 })
    fail(context: ChangeContext) {
      calls.add('fail', context);
      throw new Error('ü'.repeat(270_000));
    }
  }
  return ParityOperator;
}

/** Declares the tests of behaviour that must be as in Kopf on any cluster, in real time and over HTTPS. */
export function describeParity(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    const calls = new RecordedCalls();
    let cluster: TestCluster;
    let operator: LocalOperator | undefined;

    beforeAll(async () => {
      cluster = await startCluster();
      await cluster.user.create(DEFINITIONS, customResource({ statusSubresource: true }));
      const list = () => cluster.user.list(OBJECTS);
      await eventually('the resource is served', () => list().then(Boolean, () => false));
      operator = await LocalOperator.start(makeOperator(calls), { credentials: cluster.credentials });
    }, 120_000);

    afterAll(async () => {
      await operator?.stop();
      await cluster?.stop();
    });

    function create(name: string, spec: object, metadata: object = {}): Promise<KubeObject> {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name, ...metadata }, spec };
      return cluster.user.create(OBJECTS, body);
    }

    function until(name: string, what: string, check: (object: KubeObject) => unknown): Promise<KubeObject> {
      return eventually(`${name} ${what}`, async () => {
        const object = await cluster.user.get(`${OBJECTS}/${name}`);
        return object && check(object) ? object : false;
      });
    }

    it('should call a deletion handler for a field that has gone', async () => {
      await create('gone', { bucket: 'b1' });
      await until('gone', 'is handled', isHandled);
      await cluster.user.patch(`${OBJECTS}/gone`, { spec: { bucket: null } });
      await eventually('the update is tried', () => calls.handlers('gone').includes('move'));
      await cluster.user.delete(`${OBJECTS}/gone`);
      await eventually('gone has gone', async () => !(await cluster.user.get(`${OBJECTS}/gone`)));
      expect(calls.handlers('gone')).toEqual(['move', 'drop']);
      expect(calls.of('gone')[1]).toMatchObject({ reason: 'delete', old: 'b1', new: undefined });
    });

    it('should store results of sub-handlers with a field without the field', async () => {
      await create('parts', { size: 1 });
      await until('parts', 'is handled', isHandled);
      await cluster.user.patch(`${OBJECTS}/parts`, { spec: { size: 2 } });
      const { status } = await until('parts', 'has a result', (object) => object.status?.['parts/size']);
      expect(status).toEqual({ 'parts/size': 2 });
    });

    it('should count the attempts of a handler whose messages no annotation can hold', async () => {
      await create('long', {}, { labels: { verbose: 'yes' } });
      await until('long', 'is handled', isHandled);
      expect(calls.of('long').map(({ retry }) => retry)).toEqual([0, 1, 2]);
    });
  });
}
