import { OnCreate, OnDelete, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { kopfMatchers, KopfTest } from 'nestjs-kopf/testing';
import { administrator } from '../support/clusters/cluster.access.js';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

expect.extend(kopfMatchers);

class Operator {
  @OnCreate('kopfexamples')
  create({ patch, retry, info }: ChangeContext) {
    if (retry < 1) throw new TemporaryError('Not yet.', { delay: 0.2 });
    patch.status.done = true;
    info({ reason: 'Done' });
  }

  @OnDelete('kopfexamples')
  remove() {}
}

describe('The testing kit on a real control plane', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });

  afterAll(() => cluster?.stop());

  it('should handle objects in a namespace of the test, and leave nothing behind', async () => {
    const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } };
    const test = await KopfTest.create({
      providers: [Operator],
      objects: customResource(),
      kubeconfig: cluster.kubeconfigPath,
    });
    try {
      const object = await test.apply(example);
      const handled = await test.handled(object);
      expect(handled).toMatchObject({ metadata: { namespace: test.namespace }, status: { done: true } });
      expect(handled).toHaveFinalizer();
      expect(test.calls.of(object).map(({ outcome }) => outcome)).toEqual(['retried', 'succeeded']);
      expect(test.events.of(object)).toHaveEvent('Done');
      await test.apply({ ...example, metadata: { name: 'b' } });
      test.kill();
      await test.restart();
      expect(await test.handled({ ...example, metadata: { name: 'b' } })).toMatchObject({ status: { done: true } });
      await test.delete(object);
      expect(await test.handled(object)).toBeUndefined();
      test.kill();
    } finally {
      await test.close();
    }
    const user = administrator(cluster);
    const isGone = async () => !(await user.get(`${DEFINITIONS}/kopfexamples.kopf.dev`));
    await eventually('the definition is gone', isGone).finally(() => user.close());
  });
});
