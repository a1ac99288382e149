import type { KubeObject } from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  CallbacksOperator,
  ChangesOperator,
  FieldsOperator,
  MetadataOperator,
  SightOperator,
} from './filtering.example.js';

describe('The examples of filtering', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  async function create(name: string, object: Partial<KubeObject>): Promise<void> {
    await harness.create(name, object);
    await harness.advance(2);
  }

  const lines = () => harness.logger.messages('log').filter((line) => !/succeeded|processed|ready:/.test(line));

  it('should filter by metadata', async () => {
    await harness.run(MetadataOperator);
    const labels = { app: 'web', tier: 'front' };
    await create('a', { metadata: { labels, annotations: { owner: 'me!' } } });
    await create('b', { metadata: { labels: { ...labels, paused: '' }, annotations: { owner: 'me!' } } });
    await create('c', { metadata: { labels, annotations: { owner: 'me' } } });
    await create('d', { metadata: { labels } });
    expect(lines()).toEqual(['[ns/a] a matches.']);
  });

  it('should filter by fields', async () => {
    await harness.run(FieldsOperator);
    await create('a', { spec: { tier: 'world' }, metadata: { labels: { 'example.com/app': 'x' } } });
    await create('b', { spec: { tier: 'else' } });
    expect(lines()).toEqual(['[ns/a] a says hello.', '[ns/a] a has the label.']);
  });

  it('should call a deletion handler for a field that has gone', async () => {
    await harness.run(FieldsOperator);
    await create('a', { spec: { bucket: 'b1' } });
    await harness.stop();
    await harness.patch('a', { spec: { bucket: null } });
    await harness.delete('a');
    await harness.run(FieldsOperator);
    await harness.advance(2);
    expect(lines()).toContain('[ns/a] The bucket b1 is not needed any more.');
  });

  it('should filter by changes', async () => {
    await harness.run(ChangesOperator);
    await create('a', { spec: {} });
    for (const tier of ['first', 'ready', 'other']) {
      await harness.patch('a', { spec: { tier } });
      await harness.advance(2);
    }
    expect(lines()).toEqual(['[ns/a] The tier appeared: first.', '[ns/a] The tier was first and is ready.']);
  });

  it('should filter by callbacks', async () => {
    await harness.run(CallbacksOperator);
    await create('a', { spec: { size: 101 } });
    await create('b', { spec: { size: 100 } });
    await create('c', { spec: { size: 101 }, metadata: { annotations: { paused: 'yes' } } });
    expect(lines()).toEqual(['[ns/a] a is large and not paused.']);
  });

  it('should keep objects in sight', async () => {
    await harness.run(SightOperator);
    await create('a', { spec: {} });
    await harness.patch('a', { metadata: { labels: { handled: 'yes' } } });
    await harness.advance(2);
    expect(lines()).toEqual(['[ns/a] a was updated.']);
  });
});
