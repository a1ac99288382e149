import { ConsoleWorld, ShownOperator } from './console.world.js';

const RESOURCE = 'kopfexamples.kopf.dev';

describe.each(['Express', 'Fastify'] as const)('The console on %s', (platform) => {
  it('should say which operator it shows, and what it does', async () => {
    const world = await ConsoleWorld.start({ platform });
    await world.harness.create('calm');
    await world.harness.create('failing', { spec: { fails: true } });
    await world.harness.advance(5);
    expect(await world.get('overview')).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      operators: ['default'],
      operator: 'default',
      framework: 'nestjs-kopf',
      state: 'running',
      paused: [],
      cluster: { host: 'embedded' },
      counts: { objects: 2, inWork: 0, waiting: 1, failing: 1, deleting: 0, daemons: 2, timers: 2 },
      resources: [{ resource: RESOURCE, kind: 'KopfExample', namespaced: true, objects: 2 }],
      actions: [],
    });
  });

  it('should list objects with what is done with them', async () => {
    const world = await ConsoleWorld.start({ platform });
    for (const name of ['c', 'a', 'b']) await world.harness.create(name, { spec: { fails: name === 'b' } });
    await world.harness.advance(5);
    const { total, items } = await world.get(`objects?resource=${RESOURCE}`);
    expect(total).toBe(3);
    expect(items.map(({ name, phase }: any) => [name, phase])).toEqual([
      ['a', 'idle'],
      ['b', 'failing'],
      ['c', 'idle'],
    ]);
    expect(items[1]).toMatchObject({
      kind: 'KopfExample',
      namespace: 'ns',
      retries: 1,
      handlers: ['create'],
      error: 'No room for b: 3 of 4',
      dueAt: expect.any(Number) as number,
    });
  });

  it('should tell what happens now, with failures by their errors', async () => {
    const world = await ConsoleWorld.start({ platform });
    for (const name of ['first', 'second']) await world.harness.create(name, { spec: { fails: true } });
    await world.harness.create('hanging', { spec: { hangs: true } });
    await world.harness.advance(5);
    const now = await world.get('now');
    const { counts } = await world.get('overview');
    expect(now.inWork).toMatchObject([{ name: 'hanging' }]);
    expect(now.waiting.map(({ name, handler }: any) => `${name} ${handler}`).sort()).toEqual([
      'first create',
      'second create',
    ]);
    expect(now.failing).toMatchObject([{ error: 'No room for …: … of …', handler: 'create', count: 2 }]);
    expect(now.totals).toEqual({ inWork: 1, waiting: 2, failing: 2, failed: 0, stuck: 0 });
    // Time passes between two requests, after which the handler has not returned for more than a minute.
    const { stuck } = counts;
    expect(counts).toMatchObject({ ...now.totals, stuck, failing: now.totals.failing + stuck });
    world.served.find(ShownOperator).go();
  });

  it('should tell all about one object', async () => {
    const world = await ConsoleWorld.start({ platform });
    const stream = await world.stream('log');
    const { metadata } = await world.harness.create('a', {
      spec: { fails: true },
      metadata: { labels: { tier: 'bronze' } },
    });
    await world.harness.send('POST', '/api/v1/namespaces/ns/events', {
      metadata: { name: 'seen', namespace: 'ns' },
      involvedObject: { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', namespace: 'ns', uid: metadata.uid },
      type: 'Warning',
      reason: 'Seen',
      message: 'By a test.',
      count: 1,
    });
    await world.harness.advance(5);
    const details = await world.get(`objects/${RESOURCE}/ns/a`);
    expect(details.object).toMatchObject({ name: 'a', phase: 'failing', retries: 1 });
    expect(details.body.spec).toEqual({ fails: true });
    expect(details.progress).toMatchObject([{ handler: 'create', state: 'waiting', attempts: 1 }]);
    expect(details.findings.map(({ code }: any) => code)).toContain('handler-waits');
    expect(details.finalizers).toEqual([{ name: 'kopf.zalando.org/KopfFinalizerMarker', owner: 'operator' }]);
    expect(details.daemons.map(({ handler }: any) => handler).sort()).toEqual(['guard', 'tick']);
    const polish = details.handlers.find(({ id }: any) => id === 'polish');
    expect(polish).toMatchObject({
      matches: false,
      source: 'ShownOperator.polish',
      exclusion: { filter: 'labels', key: 'tier', wanted: 'gold', actual: 'bronze' },
    });
    expect(details.handlers.find(({ id }: any) => id === 'create')).toMatchObject({ matches: true });
    const calls = details.events.flatMap(({ type, call }: any) =>
      call?.id === 'create' ? [`${type} ${call.attempt}`] : [],
    );
    expect(calls).toEqual(['call 1', 'outcome 1']);
    expect(details.kubernetesEvents).toMatchObject([
      { type: 'Warning', reason: 'Seen', message: 'By a test.', count: 1 },
    ]);
    stream.close();
  });

  it('should count the calls of handlers only while it has viewers, if it is to', async () => {
    const world = await ConsoleWorld.start({ platform, console: { history: { keep: 'viewed' } } });
    await world.harness.create('unseen');
    await world.harness.advance(5);
    await world.stream('handlers');
    await world.harness.create('seen');
    await world.harness.create('broken', { spec: { breaks: true } });
    await world.harness.advance(5);
    const handlers = await world.get('handlers');
    expect(handlers.find(({ id }: any) => id === 'create')).toMatchObject({
      kind: 'create',
      source: 'ShownOperator.create',
      selector: 'kopfexamples.v1.kopf.dev',
      calls: 2,
      succeeded: 1,
      failed: 1,
      running: 0,
      rate: 0.4,
      p50: expect.any(Number) as number,
      errors: [{ error: 'It cannot be.', object: { name: 'broken' } }],
    });
    expect(handlers.find(({ id }: any) => id === 'polish')).toMatchObject({ calls: 0, filters: ['label tier: gold'] });
    expect((await world.get('objects?phase=failed')).items).toMatchObject([{ name: 'broken', handlers: ['create'] }]);
  });

  it('should show watches, memory, webhooks, coordination, and permissions', async () => {
    const world = await ConsoleWorld.start({ platform });
    await world.stream('watches');
    await world.harness.create('a');
    await world.harness.advance(120);
    expect(await world.get('watches')).toMatchObject([
      { resource: RESOURCE, state: 'watching', objects: 1, restarts: 0, gone: 0, backlog: 0 },
    ]);
    const memory = await world.get('memory');
    expect(memory).toMatchObject({
      objects: 1,
      indices: [{ id: 'byField', keys: 1, values: 1 }],
      totals: { daemons: 1, timers: 1 },
    });
    const timer = memory.daemons.find(({ kind }: any) => kind === 'timer');
    expect(timer).toMatchObject({ handler: 'tick', name: 'a', state: 'running' });
    expect(timer.nextAt).toBeGreaterThan(world.harness.clock.now());
    expect(await world.get('webhooks')).toMatchObject([{ id: 'check', kind: 'validate', calls: 0 }]);
    expect(await world.get('coordination')).toMatchObject({ mode: 'none', paused: [], peerings: [] });
    const permissions = await world.get('permissions');
    expect(permissions).toContainEqual(
      expect.objectContaining({ verb: 'patch', resource: 'kopfexamples', group: 'kopf.dev', granted: true }),
    );
  });
});
