import { makeResource } from '../../../../../test/support/objects/resources.js';
import {
  scriptedApi,
  ScriptedStream,
  status,
  systemError,
  type ScriptedAnswer,
} from '../../../../../test/support/transport/scripted.api.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { WatchingSettings } from '../../settings/client.settings.js';
import { WatchSource } from './watch.source.js';
import type { ListedMark, KubeWatchEvent } from './watch.event.js';

const RESOURCE = makeResource({ group: '', plural: 'pods', kind: 'Pod', singular: 'pod' });

const STREAMED =
  'GET /api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const PAGED = 'GET /api/v1/pods?limit=500';
const WATCH = 'GET /api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=';

const make = (name: string, version: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) },
});

const page = (version: number, ...names: string[]): ScriptedAnswer => ({
  json: {
    apiVersion: 'v1',
    kind: 'PodList',
    metadata: { resourceVersion: String(version) },
    items: names.map((name) => make(name, version)),
  },
});

/** The bookmark after the objects that were there at the beginning. */
const end = (version: number): unknown => ({
  kind: 'Pod',
  metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } },
});

type Answer = ScriptedAnswer | Error;

/** A source on a server with scripted answers; the last one repeats. */
function watchOf(answers: readonly Answer[], settings: Partial<WatchingSettings> = {}) {
  let count = 0;
  const server = scriptedApi(() => answers[Math.min(count++, answers.length - 1)]);
  const { api, clock, random, logger, transport } = server;
  const summary: string[] = [];
  const states: string[] = [];
  const take = (event: KubeWatchEvent | ListedMark): void => {
    if (event === 'LISTED') summary.push(event);
    else summary.push(`${event.type} ${event.object.metadata.name}${event.vanished ? ' vanished' : ''}`);
  };
  const source: WatchSource = new WatchSource({
    resource: RESOURCE,
    api,
    settings: Object.assign(new WatchingSettings(), { streamedLists: 'auto' }, settings),
    clock,
    random,
    logger,
    onStatus: ({ state }) => states.push(state),
  });
  const controller = new AbortController();
  const running = source.run(take, controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await running;
    expect(clock.pending).toBe(0);
  });
  return { source, clock, logger, transport, summary, states };
}

describe('streamed lists', () => {
  it('should give the existing objects, the mark, and then the changes, all with one request', async () => {
    const stream = new ScriptedStream();
    const watch = watchOf([{ stream }]);
    stream.event('ADDED', make('a', 5)).event('ADDED', make('b', 7));
    await watch.clock.settle();
    expect(watch.states).toEqual(['listing']);
    stream.event('BOOKMARK', end(10)).event('ADDED', make('c', 11)).event('DELETED', make('a', 12));
    await watch.clock.advance(3600);
    expect(watch.summary).toEqual(['null a', 'null b', 'LISTED', 'ADDED c', 'DELETED a']);
    expect(watch.states).toEqual(['listing', 'watching']);
    expect(watch.source.status).toMatchObject({ resourceVersion: '12', objects: 2 });
    expect(watch.transport.log).toEqual([STREAMED]);
  });

  it('should give changes that come before the end as they are', async () => {
    const stream = new ScriptedStream();
    const watch = watchOf([{ stream }]);
    stream.event('ADDED', make('a', 5)).event('ADDED', make('b', 7));
    stream.event('MODIFIED', make('a', 9)).event('DELETED', make('b', 10)).event('BOOKMARK', end(10));
    await watch.clock.settle();
    expect(watch.summary).toEqual(['null a', 'null b', 'MODIFIED a', 'DELETED b', 'LISTED']);
  });

  it('should be resumed after their end, as any watch is', async () => {
    const [first, second] = [new ScriptedStream(), new ScriptedStream()];
    const watch = watchOf([{ stream: first }, { stream: second }]);
    first.event('BOOKMARK', end(10)).event('ADDED', make('a', 11));
    await watch.clock.settle();
    first.end(systemError('ECONNRESET'));
    await watch.clock.advance(100);
    expect(watch.transport.log).toEqual([STREAMED, `${WATCH}11`]);
    expect(watch.logger.messages('warn', 'log')).toEqual([]);
  });

  it('should show what has vanished when they replace one another', async () => {
    const [first, second] = [new ScriptedStream(), new ScriptedStream()];
    const watch = watchOf([{ stream: first }, status(410, 'Expired', 'too old'), { stream: second }]);
    first.event('ADDED', make('a', 5)).event('ADDED', make('b', 7)).event('BOOKMARK', end(10)).end();
    await watch.clock.advance(1000);
    second.event('ADDED', make('b', 7)).event('BOOKMARK', end(20));
    await watch.clock.settle();
    expect(watch.summary.slice(3)).toEqual(['null b', 'DELETED a vanished', 'LISTED']);
    expect(watch.transport.log).toEqual([STREAMED, `${WATCH}10`, STREAMED]);
  });

  it.each([
    ['400', status(400, 'BadRequest', 'unknown parameter')],
    ['422', status(422, 'Invalid', 'sendInitialEvents is forbidden for watch')],
  ])('should be replaced by pages for good at once if the server refuses them with %s', async (_, failure) => {
    const watch = watchOf([
      failure,
      page(10, 'a'),
      status(410, 'Expired', 'too old'),
      page(20),
      { stream: new ScriptedStream() },
    ]);
    await watch.clock.settle();
    expect(watch.clock.monotonic()).toBe(0);
    expect(watch.summary).toEqual(['null a', 'LISTED']);
    await watch.clock.advance(1000);
    expect(watch.transport.log).toEqual([STREAMED, PAGED, `${WATCH}10`, PAGED, `${WATCH}20`]);
    expect(watch.logger.messages('warn', 'log')).toEqual([]);
  });

  it('should be replaced by pages for good if the server does not tell their end', async () => {
    const stream = new ScriptedStream();
    const watch = watchOf([{ stream }, page(10, 'b'), { stream: new ScriptedStream() }]);
    await watch.clock.advance(9000);
    stream.event('ADDED', make('a', 5)).event('ADDED', make('b', 7));
    await watch.clock.advance(9999);
    expect(watch.summary).toEqual(['null a', 'null b']);
    await watch.clock.advance(1);
    expect(watch.summary).toEqual(['null a', 'null b', 'null b', 'DELETED a vanished', 'LISTED']);
    expect(watch.transport.log).toEqual([STREAMED, PAGED, `${WATCH}10`]);
    expect(stream.closed).toBe(true);
  });

  it('should be replaced by pages even if changes come instead of their end', async () => {
    const stream = new ScriptedStream();
    const watch = watchOf([{ stream }, page(10, 'b'), { stream: new ScriptedStream() }]);
    for (let second = 0; second < 121; second += 1) {
      stream.event('MODIFIED', make('a', second));
      await watch.clock.advance(1000);
    }
    expect(watch.transport.log).toEqual([STREAMED, PAGED, `${WATCH}10`]);
  });

  it.each<[string, (stream: ScriptedStream) => unknown]>([
    ['an end', (stream) => stream.end()],
    ['a reset', (stream) => stream.end(systemError('ECONNRESET'))],
    ['garbage', (stream) => stream.text('<html>\n')],
    ['an error', (stream) => stream.event('ERROR', { kind: 'Status', code: 500, message: 'no leader' })],
  ])('should be replaced by pages once after %s in their middle', async (_, interrupt) => {
    const [first, third] = [new ScriptedStream(), new ScriptedStream()];
    const gone = status(410, 'Expired', 'too old');
    const watch = watchOf([{ stream: first }, page(10, 'b'), gone, { stream: third }]);
    first.event('ADDED', make('a', 5));
    interrupt(first);
    await watch.clock.advance(2000);
    expect(watch.summary).toEqual(['null a', 'null b', 'DELETED a vanished', 'LISTED']);
    expect(watch.transport.log).toEqual([STREAMED, PAGED, `${WATCH}10`, STREAMED]);
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '5' } }, 5],
    ['503', status(503, 'ServiceUnavailable', 'starting'), 0.1],
    ['no connection', systemError('ECONNREFUSED'), 0.1],
    ['403', status(403, 'Forbidden', 'not permitted'), 1],
  ])('should be asked for again after %s', async (_, failure, seconds) => {
    const watch = watchOf([failure, { stream: new ScriptedStream().event('BOOKMARK', end(1)) }]);
    await watch.clock.advance(seconds * 1000 - 1);
    expect(watch.transport.log).toEqual([STREAMED]);
    await watch.clock.advance(1);
    expect(watch.transport.log).toEqual([STREAMED, STREAMED]);
    expect(watch.source.status.state).toBe('watching');
  });

  it.each<Partial<WatchingSettings>>([{ streamedLists: true }, { streamedLists: false, initialStreaming: true }])(
    'should be insisted on if told to: %j',
    async (settings) => {
      const failure = status(422, 'Invalid', 'sendInitialEvents is forbidden for watch');
      const watch = watchOf([failure], settings);
      await watch.clock.advance(60_000);
      expect(new Set(watch.transport.log)).toEqual(new Set([STREAMED]));
      expect(watch.transport.log.length).toBeLessThan(20);
      expect(watch.logger.messages('warn')).toEqual([expect.stringContaining('sendInitialEvents is forbidden')]);
    },
  );

  it('should fall back to pages if only one of the settings insists', async () => {
    const failure = status(422, 'Invalid', 'sendInitialEvents is forbidden for watch');
    const answers = [failure, page(10, 'a'), { stream: new ScriptedStream() }];
    const watch = watchOf(answers, { streamedLists: 'auto', initialStreaming: true });
    await watch.clock.settle();
    expect(watch.transport.log).toEqual([STREAMED, PAGED, `${WATCH}10`]);
  });

  it('should not be asked for if not told to', async () => {
    const watch = watchOf([page(10, 'a'), { stream: new ScriptedStream() }], { streamedLists: false });
    await watch.clock.settle();
    expect(watch.transport.log).toEqual([PAGED, `${WATCH}10`]);
  });
});
