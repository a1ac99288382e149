import { Injectable } from '@nestjs/common';
import { Daemon, KopfOperator, OnCreate, PermanentError, TemporaryError, type DaemonContext } from 'nestjs-kopf';
import { KOPF_CHANNELS } from 'nestjs-kopf/diagnostics';
import { InspectionError, inspectOperator, KopfInspectionModule, KopfInspector } from 'nestjs-kopf/inspection';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const RESOURCE = 'kopfexamples.kopf.dev';
const SIGNAL = new AbortController().signal;

@Injectable()
class Operator {
  @OnCreate(...KEX, { when: ({ name }) => name === 'web' })
  provision(): void {
    throw new TemporaryError('The network of web is away.', { delay: 60 });
  }

  @OnCreate(...KEX, { when: ({ name }) => name === 'api' })
  reject(): void {
    throw new PermanentError('The size is unknown.');
  }

  @Daemon(...KEX, { when: ({ name }) => name === 'web' })
  async watch({ stopped }: DaemonContext): Promise<void> {
    await stopped.wait();
  }
}

describe('KopfInspector', () => {
  async function start(): Promise<{ harness: OperatorHarness; inspector: KopfInspector }> {
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { imports: [KopfInspectionModule.forRoot()] });
    await harness.create('web');
    await harness.create('api');
    await harness.advance(5);
    return { harness, inspector: harness.get(KopfInspector) };
  }

  it('should tell what waits, what fails, and what is in memory', async () => {
    const { inspector } = await start();
    const { failing, waiting } = await inspector.now();
    expect(failing).toMatchObject([
      { kind: 'failed', handler: 'reject', error: 'The size is unknown.', count: 1 },
      { kind: 'retrying', handler: 'provision', error: 'The network of … is away.', count: 1 },
    ]);
    expect(waiting).toMatchObject([{ handler: 'provision', resource: RESOURCE, name: 'web', attempts: 1 }]);
    expect(await inspector.overview()).toMatchObject({ state: 'running', counts: { objects: 2, daemons: 1 } });
    expect((await inspector.memory()).totals).toEqual({ daemons: 1, timers: 0 });
    expect((await inspector.watches()).map(({ resource, state }) => [resource, state])).toContainEqual([
      RESOURCE,
      'watching',
    ]);
  });

  it('should tell about one object, and say what is missing', async () => {
    const { inspector } = await start();
    const details = await inspector.object({ resource: RESOURCE, namespace: 'ns', name: 'web' }, SIGNAL);
    expect(details.progress).toMatchObject([
      { handler: 'provision', attempts: 1, error: 'The network of web is away.' },
    ]);
    expect(details.daemons).toMatchObject([{ handler: 'watch', kind: 'daemon' }]);
    const missing = inspector.object({ resource: RESOURCE, namespace: 'ns', name: 'gone' }, SIGNAL);
    await expect(missing).rejects.toThrow(expect.objectContaining({ status: 404 }));
    await expect(missing).rejects.toBeInstanceOf(InspectionError);
  });

  it('should plan a retry without writing anything', async () => {
    const { harness, inspector } = await start();
    const before = await harness.object('web');
    const object = { resource: RESOURCE, kind: 'KopfExample', namespace: 'ns', name: 'web' };
    const plan = await inspector.plan({ change: 'retry', object }, SIGNAL);
    expect(plan).toMatchObject({ text: 'Called now: provision.', body: { metadata: { name: 'web' } } });
    await harness.advance(1);
    expect((await harness.object('web')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await harness.patch('web', plan.patch!);
    await harness.advance(2);
    const { waiting } = await inspector.now();
    expect(waiting).toMatchObject([{ handler: 'provision', attempts: 2 }]);
  });

  it('should read the own counts of the operator, as the overview has them', async () => {
    const { harness, inspector } = await start();
    const { readings } = inspector;
    const { state, since, objects, paused, unserved, failure } = readings.status();
    expect({ state, objects, paused, unserved, failure }).toEqual({
      state: 'running',
      objects: 2,
      paused: [],
      unserved: [],
      failure: undefined,
    });
    expect(await inspector.overview()).toMatchObject({ state, since, paused });
    expect(readings.background()).toEqual([{ handler: 'watch', kind: 'daemon', running: 1, stopping: 0 }]);
    expect(readings.watches()).toContainEqual(
      expect.objectContaining({ resource: RESOURCE, state: 'watching', objects: 2, restarts: 0 }),
    );
    expect(readings.queues()).toContainEqual({ resource: RESOURCE, waiting: 0, running: [] });
    expect(readings.objects()).toEqual({ unseen: 0, throttled: 0 });
    expect(readings.reviews()).toEqual({ handlers: 0, isServing: false, inProgress: 0 });
    expect(['provision', 'provision/a/b', 'none'].map((id) => readings.labelOfHandler(id))).toEqual([
      'provision',
      'provision/*',
      'unknown',
    ]);
    harness.get(KopfOperator).pause('for maintenance');
    await harness.advance(1);
    expect(readings.status()).toMatchObject({ state: 'paused', paused: ['for maintenance'] });
    expect(await inspector.overview()).toMatchObject({ paused: ['for maintenance'] });
  });

  it('should stream what happens to those who listen, until the stream or the inspection is closed', async () => {
    const { harness, inspector } = await start();
    const [first, second]: string[][] = [[], []];
    const closed = inspector.readings.stream();
    closed
      .on('handlerEnd', ({ handler }) => void first.push(handler.id))
      .on('state', (state) => void first.push(state));
    expect(KOPF_CHANNELS.handlerEnd.hasSubscribers).toBe(true);
    inspector.readings.stream().on('handlerEnd', ({ handler }) => void second.push(handler.id));
    await harness.advance(60);
    expect(first).toEqual(['running', 'provision']);
    expect(second).toEqual(['provision']);
    expect(inspector.recentEvents()).toEqual([]);
    closed.close();
    await harness.advance(60);
    expect(first).toHaveLength(2);
    expect(second).toHaveLength(2);
    await harness.stop();
    expect(KOPF_CHANNELS.handlerEnd.hasSubscribers).toBe(false);
  });

  it('should collect events for observers only, and not after the inspection is closed', async () => {
    const { harness } = await start();
    const inspection = inspectOperator({ get: (token: never) => harness.get(token) as never });
    expect(inspection.recentEvents()).toEqual([]);
    const texts: string[] = [];
    const unsubscribe = inspection.subscribe({
      log: ({ text }) => void texts.push(text),
      changed: () => undefined,
      changedObject: () => undefined,
    });
    await harness.advance(60);
    expect(texts.some((text) => text.includes('provision is called'))).toBe(true);
    unsubscribe();
    const { length } = texts;
    await harness.advance(60);
    expect(texts).toHaveLength(length);
    inspection.close();
  });
});
