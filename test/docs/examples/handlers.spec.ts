import { startWithDisks } from '../../support/operators/disks.js';
import {
  BillingModule,
  ChangeOperator,
  ConnectionOperator,
  ExchangeOperator,
  FieldOperator,
  ItemsOperator,
  OptionalOperator,
  OptionsOperator,
  ResultsOperator,
  ShippingModule,
  SpyOperator,
  StackedOperator,
  StepsOperator,
} from './handlers.example.js';

describe('The examples of handlers', () => {
  it('should tell creations, changes, and deletions apart', async () => {
    const harness = await startWithDisks();
    await harness.run(ChangeOperator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(1);
    const lines = harness.logger.messages('log');
    expect(lines).toContain('[ns/a] a is new, with slow.');
    expect(lines).toContain('[ns/a] change spec.tier: slow -> fast');
    expect(lines).toContain('[ns/a] a is going.');
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should call a method with several decorators once', async () => {
    const harness = await startWithDisks();
    await harness.run(StackedOperator);
    await harness.create('a', { metadata: { labels: { urgent: 'yes' } }, spec: {} });
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((line) => line.includes('is tried'));
    expect(lines).toEqual(['[ns/a] a is tried 3 times if it is urgent, or 10 times.']);
  });

  it('should give the ids of a module their prefix', async () => {
    const harness = await startWithDisks();
    await harness.run([], { imports: [BillingModule, ShippingModule] });
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ 'billing/create': 'invoiced', 'shipping/create': 'sent' });
  });

  it('should see every event', async () => {
    const harness = await startWithDisks();
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
    await harness.run(SpyOperator);
    await harness.send('PATCH', '/api/v1/namespaces/ns/pods/web', { metadata: { labels: { a: 'b' } } });
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((line) => /LISTED|MODIFIED/.test(line));
    expect(lines).toEqual(['[ns/web] LISTED web', '[ns/web] MODIFIED web']);
  });

  it('should set no finalizer for optional handlers', async () => {
    const harness = await startWithDisks();
    await harness.run(OptionalOperator, { deletion: { optionalHandlers: 'call' } });
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    await harness.delete('a');
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] a is going.');
  });

  it('should resume what was there', async () => {
    const harness = await startWithDisks();
    await harness.run(ConnectionOperator);
    await harness.create('a');
    await harness.advance(1);
    expect([...harness.get(ConnectionOperator).connections.values()]).toEqual(['a, because of create']);
    await harness.stop();
    await harness.run(ConnectionOperator);
    await harness.advance(1);
    const { connections } = harness.get(ConnectionOperator);
    expect([...connections.values()]).toEqual(['a, because of resume']);
    await harness.delete('a');
    await harness.advance(1);
    expect(connections.size).toBe(0);
  });

  it('should follow a field', async () => {
    const harness = await startWithDisks();
    await harness.run(FieldOperator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { other: 1 } });
    await harness.advance(1);
    await harness.patch('a', { spec: { tier: null } });
    await harness.advance(1);
    expect(harness.logger.messages('log').filter((line) => line.includes('The tier'))).toEqual([
      '[ns/a] The tier was undefined and is slow.',
      '[ns/a] The tier was slow and is undefined.',
    ]);
  });
});

describe('The examples of results', () => {
  it('should store results in the status', async () => {
    const harness = await startWithDisks();
    await harness.run(ResultsOperator);
    await harness.create('a');
    await harness.advance(1);
    const describe = { title: 'This is a', since: '1970-01-01T00:00:00.000Z' };
    expect((await harness.object('a')).status).toEqual({ count: 100, describe });
  });

  it('should let handlers use the results of others', async () => {
    const harness = await startWithDisks();
    await harness.run(ExchangeOperator);
    await harness.create('a');
    await harness.advance(9);
    expect((await harness.object('a')).status).toEqual({ makeVolume: { name: 'volume-of-a' } });
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({ makeJob: { name: 'job-with-volume-of-a' } });
  });
});

describe('The examples of sub-handlers', () => {
  it('should handle items', async () => {
    const harness = await startWithDisks();
    await harness.run(ItemsOperator);
    await harness.create('a', { spec: { items: ['one', 'two'] } });
    await harness.advance(1);
    const status = { 'create/one': 'done with one', 'create/two': 'done with two' };
    expect((await harness.object('a')).status).toEqual(status);
  });

  it('should call each step until it has succeeded', async () => {
    const harness = await startWithDisks();
    await harness.run(StepsOperator);
    await harness.create('a', { spec: { items: [] } });
    await harness.advance(59);
    expect(harness.logger.messages('log')).not.toContain('[ns/a] Both are made.');
    await harness.advance(3);
    const lines = harness.logger.messages('log', 'error');
    expect(lines).toContain('[ns/a] Both are made.');
    expect(lines.filter((line) => line.includes("'create/first' failed"))).toHaveLength(2);
    expect(lines.filter((line) => line.includes("'create/second' failed"))).toHaveLength(6);
  });

  it('should take options', async () => {
    const harness = await startWithDisks();
    await harness.run(OptionsOperator);
    await harness.create('a', { spec: { size: 1 } });
    await harness.advance(1);
    await harness.patch('a', { spec: { size: 2 } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] From 1 to 2.');
  });
});
