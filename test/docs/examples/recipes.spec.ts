import { startWithDisks } from '../../support/operators/disks.js';
import {
  BucketOperator,
  Buckets,
  ConditionsOperator,
  MigrationOperator,
  NightlyOperator,
  OnceOperator,
  ParentOperator,
  SettingsOperator,
} from './recipes.example.js';

describe('The examples of recipes', () => {
  it('should set conditions, with the generation and the time of their last change', async () => {
    const harness = await startWithDisks({ statusSubresource: true });
    await harness.run(ConditionsOperator);
    await harness.create('a', { spec: {} });
    await harness.advance(10);
    const { status: before } = await harness.object('a');
    expect(before).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Stalled', status: 'True', reason: 'NoSize' },
      ],
    });
    await harness.patch('a', { spec: { size: 5 } });
    await harness.advance(10);
    const { status: ready } = await harness.object('a');
    expect(ready).toMatchObject({ observedGeneration: 2, conditions: [{ status: 'True', observedGeneration: 2 }] });
    expect(Date.parse(ready.conditions[0].lastTransitionTime)).toBeGreaterThan(
      Date.parse(before.conditions[0].lastTransitionTime),
    );
    await harness.patch('a', { spec: { size: 6 } });
    await harness.advance(10);
    const { status: still } = await harness.object('a');
    expect(still.conditions).toEqual([
      {
        ...ready.conditions[0],
        message: 'The size is 6.',
        observedGeneration: 3,
      },
    ]);
  });

  it('should keep other conditions', async () => {
    const harness = await startWithDisks({ statusSubresource: true });
    await harness.create('a', { spec: { size: 5 } });
    const other = {
      type: 'Other',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    } as const;
    await harness.patch('a', { status: { conditions: [other] } }, 'status');
    await harness.run(ConditionsOperator);
    await harness.advance(10);
    const { conditions } = (await harness.object('a')).status;
    expect(conditions).toEqual([other, expect.objectContaining({ type: 'Ready', status: 'True' })]);
  });

  it('should keep children in shape, also if others change or delete them', async () => {
    const harness = await startWithDisks();
    await harness.run(SettingsOperator);
    await harness.create('a', { spec: { settings: { color: 'blue' } } });
    await harness.advance(10);
    const path = '/api/v1/namespaces/ns/configmaps/a-settings';
    const map = await harness.send('GET', path);
    expect(map).toMatchObject({
      data: { color: 'blue' },
      metadata: { ownerReferences: [{ kind: 'Disk', name: 'a' }] },
    });
    await harness.patch('a', { spec: { settings: { color: 'red' } } });
    await harness.advance(10);
    expect((await harness.send('GET', path)).data).toEqual({ color: 'red' });
    await harness.send('PATCH', path, { data: { color: 'grey' } });
    await harness.advance(300);
    expect((await harness.send('GET', path)).data).toEqual({ color: 'red' });
    await harness.send('DELETE', path);
    await harness.advance(300);
    expect((await harness.send('GET', path)).data).toEqual({ color: 'red' });
  });

  it('should tell parents of their children', async () => {
    const harness = await startWithDisks({ kube: { pods: true } });
    await harness.run(ParentOperator);
    const { apiVersion, kind, metadata } = await harness.create('a');
    const owner = { apiVersion, kind, name: 'a', uid: metadata.uid, controller: true };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = { metadata: { name: 'p', ownerReferences: [owner] }, spec };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
    await harness.advance(30);
    expect(harness.logger.messages('log')).toContain('[ns/a] The children are {"p":"Running"}.');
    expect((await harness.object('a')).status.children).toEqual({ p: 'Running' });
  });

  describe('of external resources', () => {
    class MemoryBuckets extends Buckets {
      readonly tags = new Map<string, string>();
      created = 0;

      find(tag: string) {
        const id = this.tags.get(tag);
        return Promise.resolve(id === undefined ? undefined : { id });
      }

      create(tag: string) {
        const id = `b-${(this.created += 1)}`;
        this.tags.set(tag, id);
        return Promise.resolve({ id });
      }

      delete(id: string) {
        for (const [tag, known] of this.tags) if (known === id) this.tags.delete(tag);
        return Promise.resolve();
      }
    }

    it('should make and delete one for each object', async () => {
      const buckets = new MemoryBuckets();
      const harness = await startWithDisks();
      await harness.run([BucketOperator, { provide: Buckets, useValue: buckets }]);
      await harness.create('a');
      await harness.advance(10);
      expect((await harness.object('a')).status.bucket).toEqual({ id: 'b-1' });
      await harness.delete('a');
      await harness.advance(10);
      expect(await harness.read('a')).toBeUndefined();
      expect(buckets.tags.size).toBe(0);
    });

    it('should make no second one if the process is killed before it is noted', async () => {
      const buckets = new MemoryBuckets();
      const harness = await startWithDisks();
      const killing = new MemoryBuckets();
      killing.create = async (tag) => {
        const bucket = await buckets.create(tag);
        harness.kill();
        return bucket;
      };
      await harness.run([BucketOperator, { provide: Buckets, useValue: killing }]);
      await harness.create('a');
      await harness.advance(10);
      expect((await harness.object('a')).status).toBeUndefined();
      await harness.run([BucketOperator, { provide: Buckets, useValue: buckets }]);
      await harness.advance(60);
      expect((await harness.object('a')).status.bucket).toEqual({ id: 'b-1' });
      expect(buckets.created).toBe(1);
    });
  });

  it('should work once a day', async () => {
    const harness = await startWithDisks();
    await harness.run(NightlyOperator);
    await harness.create('a');
    const cleanings = () => harness.logger.messages('log').filter((line) => line.includes('Cleaning.'));
    await harness.advance(3 * 3600 - 60);
    expect(cleanings()).toHaveLength(0);
    await harness.advance(180);
    expect(cleanings()).toHaveLength(1);
    await harness.advance(24 * 3600);
    expect(cleanings()).toHaveLength(2);
  });

  it('should migrate old and new objects', async () => {
    const harness = await startWithDisks();
    await harness.create('old', { spec: { sizeInGb: 5 } });
    await harness.run(MigrationOperator);
    await harness.create('new', { spec: { sizeInGb: 7 } });
    await harness.create('right', { spec: { size: '8Gi' } });
    await harness.advance(10);
    const specs = await Promise.all(['old', 'new', 'right'].map(async (name) => (await harness.object(name)).spec));
    expect(specs).toEqual([{ size: '5Gi' }, { size: '7Gi' }, { size: '8Gi' }]);
  });

  it('should exclude handlers for ever', async () => {
    const harness = await startWithDisks();
    await harness.run(OnceOperator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(5);
    await harness.stop();
    await harness.run(OnceOperator);
    await harness.patch('a', { spec: { tier: 'faster' } });
    await harness.advance(5);
    const lines = harness.logger.messages();
    expect(lines.filter((line) => line.includes('Never call'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("Daemon 'monitor' succeeded"))).toHaveLength(1);
  });
});
