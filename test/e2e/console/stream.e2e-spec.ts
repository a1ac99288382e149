import { KOPF_CHANNELS } from 'nestjs-kopf/diagnostics';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import type { ConsoleLog } from '../../../libs/kopf-console/src/console.api.js';
import { ConsoleWorld, ConsoleStream, ShownOperator } from './console.world.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { ServedOperator } from '../../support/operators/served.operator.js';

const { handlerStart, handlerEnd, cycleStart, cycleEnd, patchEnd, requestEnd, reviewEnd, queueTake, queueAdd, watch } =
  KOPF_CHANNELS;
const FOLLOWED = [
  handlerStart,
  handlerEnd,
  cycleStart,
  cycleEnd,
  patchEnd,
  requestEnd,
  reviewEnd,
  queueTake,
  queueAdd,
  watch,
];

describe('The stream of the console', () => {
  it('should tell of changes, calls, and outcomes as they happen', async () => {
    const world = await ConsoleWorld.start({ console: { history: { keep: 'viewed' } } });
    const stream = await world.stream('log');
    await world.harness.create('a', { spec: { field: 'x' } });
    await stream.shows(() => expect(stream.log.some(({ call }) => call?.id === 'create' && call.outcome)).toBe(true));
    await world.harness.patch('a', { spec: { field: 'y' } });
    await stream.shows(() => expect(stream.log.some(({ call }) => call?.id === 'update' && call.outcome)).toBe(true));
    const told = stream.log
      .filter(({ call, type }) => type === 'change' || call?.id === 'create' || call?.id === 'update')
      .map(({ text }) => text);
    expect(told).toContain('KopfExample ns/a was added');
    expect(told).toContain('create is called for KopfExample ns/a');
    expect(told).toContain('create has succeeded for KopfExample ns/a');
    expect(told.indexOf('create is called for KopfExample ns/a')).toBeLessThan(
      told.indexOf('create has succeeded for KopfExample ns/a'),
    );
    const change = stream.log.find(({ change: each }) =>
      each?.fields.some(({ path }) => path.join('.') === 'spec.field' && each.type === 'modified'),
    );
    expect(change?.change?.fields).toContainEqual({ path: ['spec', 'field'], old: 'x', new: 'y' });
    expect(change?.object).toEqual({
      resource: 'kopfexamples.kopf.dev',
      kind: 'KopfExample',
      namespace: 'ns',
      name: 'a',
    });
    expect(stream.log.map(({ number }) => number)).toEqual(stream.log.map((_, index) => index + 1));
  });

  it('should name the topics that have changed, and none that nobody asked for', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('objects,now');
    await world.harness.create('a');
    await stream.shows(() => expect([...stream.changed].sort()).toEqual(['now', 'objects']));
    await world.harness.advance(2);
    expect(stream.log).toEqual([]);
  });

  it('should tell of one object, and of its children, but of no other', async () => {
    const world = await ConsoleWorld.start();
    const { metadata } = await world.harness.create('parent');
    await world.harness.advance(5);
    const topic = 'objects/kopfexamples.kopf.dev/ns/parent';
    const stream = await world.stream(`${topic},objects`);
    const told = () =>
      stream.messages.filter((message) => message.type === 'changed' && message.topics.includes(topic as never)).length;
    await world.harness.create('other');
    await stream.shows(() => expect(stream.changed).toContain('objects'));
    expect(told()).toBe(0);
    const owner = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'parent', uid: metadata.uid! };
    await world.harness.create('child', { metadata: { ownerReferences: [owner] } });
    await stream.shows(() => expect(told()).toBeGreaterThan(0));
    await world.harness.advance(5);
    const before = told();
    await world.harness.patch('parent', { spec: { field: 'y' } });
    await stream.shows(() => expect(told()).toBeGreaterThan(before));
  });

  it('should tell nobody of changes in rows that are not on the page which was fetched', async () => {
    const world = await ConsoleWorld.start();
    await world.harness.create('other');
    await world.harness.advance(5);
    const stream = await world.stream('objects,log');
    // The world would let the time pass until it has the answer, and answers are trusted for some seconds only.
    await world.served.get(`${world.base}/api/objects?search=wanted`);
    const told = () => stream.messages.filter(({ type }) => type === 'changed').length;
    await world.harness.patch('other', { spec: { field: 'y' } });
    await stream.shows(() => expect(stream.log.some(({ text }) => text.includes('ns/other was modified'))).toBe(true));
    await world.harness.advance(2);
    expect(told()).toBe(0);
    await world.harness.create('wanted');
    await stream.shows(() => expect(told()).toBeGreaterThan(0));
  });

  it('should tell of a topic at most four times a second', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('objects');
    const before = stream.messages.length;
    for (let index = 0; index < 20; index++) {
      await world.harness.create(`a-${index}`);
      await world.harness.advance(0.1);
    }
    await world.harness.advance(1);
    await stream.shows(() => expect(stream.messages.length).toBeGreaterThan(before + 4));
    expect(stream.messages.length - before).toBeLessThanOrEqual(14);
  });

  it('should go on after the recent log, without loss and with each entry once', async () => {
    const world = await ConsoleWorld.start({ console: { history: { keep: 'viewed' } } });
    expect(await world.get('log')).toMatchObject({ events: [] });
    const first = await world.stream('log');
    await world.harness.create('a');
    await first.shows(() => expect(first.log.some(({ text }) => text === 'KopfExample ns/a was added')).toBe(true));
    const second = await world.stream('log');
    await world.harness.create('b');
    const recent: ConsoleLog = await world.get('log');
    await world.harness.create('c');
    await second.shows(() => expect(second.log.some(({ text }) => text === 'KopfExample ns/c was added')).toBe(true));
    expect(recent.beganAt).toBe(first.messages.find(({ type }) => type === 'log')!['beganAt' as never]);
    const numbers = new Set([...recent.events, ...second.log].map(({ number }) => number));
    expect([...numbers].sort((one, other) => one - other)).toEqual(Array.from(numbers, (_, index) => index + 1));
    expect(await world.get('log?limit=2')).toMatchObject({ events: (await world.get('log')).events.slice(-2) });
    expect((await world.ask('log?limit=all')).status).toBe(400);
  });

  it('should go on where a browser has lost it', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('log,objects');
    await world.harness.create('a');
    await stream.shows(() => expect(stream.log.some(({ text }) => text.includes('ns/a was added'))).toBe(true));
    await world.harness.advance(1);
    await vi.waitFor(() =>
      expect(stream.lastEventId).toBe(`${stream.lastEventId.split('-')[0]}-${stream.log.at(-1)!.number}`),
    );
    stream.close();
    await world.harness.create('b');
    await world.harness.advance(5);
    const next = await world.stream('log,objects', stream.lastEventId);
    await next.shows(() => expect(next.log.some(({ text }) => text.includes('ns/b was added'))).toBe(true));
    expect(next.log[0].number).toBe(stream.log.at(-1)!.number + 1);
    expect(next.messages).not.toContainEqual({ type: 'reset' });
    expect(next.changed).toContain('objects');
  });

  it.each(['1-1', 'nonsense', '99999999999999-3', '-', '1-99999999'])(
    'should have everything fetched anew if it cannot go on: %s',
    async (lastEventId) => {
      const world = await ConsoleWorld.start();
      const stream = await world.stream('log', lastEventId);
      expect(stream.messages).toEqual([{ type: 'reset' }]);
    },
  );

  it('should give signs of life, and have proxies pass everything on at once', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('log');
    await world.harness.advance(31);
    await vi.waitFor(() => expect(stream.messages.filter(({ type }) => type === 'alive')).toHaveLength(2));
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  it('should follow the operator as long as it has viewers, and five minutes more, if it is to', async () => {
    const world = await ConsoleWorld.start({ console: { history: { keep: 'viewed' } } });
    const isFollowed = () => FOLLOWED.map(({ hasSubscribers }) => hasSubscribers);
    const [all, none] = [FOLLOWED.map(() => true), FOLLOWED.map(() => false)];
    expect(isFollowed()).toEqual(none);
    await world.get('overview');
    await world.get('objects');
    expect(isFollowed()).toEqual(none);
    const stream = await world.stream('log');
    expect(isFollowed()).toEqual(all);
    stream.close();
    await vi.waitFor(async () => {
      await world.harness.advance(1);
      expect(stream.isEnded).toBe(true);
    });
    await world.harness.advance(290);
    expect(isFollowed()).toEqual(all);
    await vi.waitFor(async () => {
      await world.harness.advance(60);
      expect(isFollowed()).toEqual(none);
    });
  });

  it('should keep the history from the start on, so that viewers see what was before', async () => {
    const world = await ConsoleWorld.start();
    const beganAt = world.harness.clock.now();
    await world.harness.create('a', { spec: { fails: true } });
    await world.harness.advance(5);
    const { recordedSince } = await world.get('overview');
    expect(recordedSince).toBeLessThanOrEqual(beganAt);
    const { events } = await world.get('log');
    expect(events[0].text).toBe('The operator is starting');
    expect(events.filter(({ isError }: any) => isError)).toMatchObject([
      { type: 'outcome', call: { id: 'create', error: 'No room for a: 3 of 4' } },
    ]);
    const handlers = await world.get('handlers');
    expect(handlers.find(({ id }: any) => id === 'create').calls).toBe(1);
    expect((await world.get('objects/kopfexamples.kopf.dev/ns/a')).events.length).toBeGreaterThan(2);
  });

  it.each(['Express', 'Fastify'] as const)('should end with the application on %s', async (platform) => {
    const harness = await OperatorHarness.start();
    const served = await ServedOperator.start(harness, {
      platform,
      handlers: [ShownOperator],
      imports: [KopfConsoleModule.forRoot()],
      options: { admission: { server: new StubAdmissionServer({}) } },
    });
    await served.ready();
    const streams = [new ConsoleStream(harness), new ConsoleStream(harness)];
    for (const stream of streams) await stream.open(`${served.address}/kopf/api/stream`);
    await served.close();
    await vi.waitFor(() => expect(streams.map(({ isEnded }) => isEnded)).toEqual([true, true]));
    expect(FOLLOWED.some(({ hasSubscribers }) => hasSubscribers)).toBe(false);
  });
});
