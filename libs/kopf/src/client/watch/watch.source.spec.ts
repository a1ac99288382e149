import { getEventListeners } from 'node:events';
import { makeResource } from '../../../../../test/support/objects/resources.js';
import {
  scriptedApi,
  ScriptedStream,
  status,
  systemError,
  type ScriptedAnswer,
} from '../../../../../test/support/transport/scripted.api.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { KubeRequest } from 'kube-common';
import { WatchingSettings } from '../../settings/client.settings.js';
import { WatchSource } from './watch.source.js';
import type { ListedMark, KubeWatchEvent } from './watch.event.js';

const RESOURCE = makeResource();

const make = (name: string, version: number | string): KubeObject => ({
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) },
});

const page = (version: number, names: string[], next?: string): ScriptedAnswer => ({
  json: {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExampleList',
    metadata: { resourceVersion: String(version), continue: next },
    items: names.map((name) => ({ metadata: make(name, version).metadata })),
  },
});

const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

type Answer = ScriptedAnswer | Error | ((request: KubeRequest) => ScriptedAnswer | Error);

/** A source on a server with scripted answers to lists and to watches; the last ones repeat. */
function watchOf(lists: Answer[], watches: Answer[], settings: Partial<WatchingSettings> = {}, namespace?: string) {
  let listed = 0;
  let watched = 0;
  const server = scriptedApi((request) => {
    const isWatch = request.path.includes('watch=true');
    const answers = isWatch ? watches : lists;
    const answer = answers[Math.min(isWatch ? watched++ : listed++, answers.length - 1)];
    return typeof answer === 'function' ? answer(request) : answer;
  });
  const events: (KubeWatchEvent | ListedMark)[] = [];
  const states: string[] = [];
  const { api, clock, random, logger } = server;
  const source: WatchSource = new WatchSource({
    resource: RESOURCE,
    namespace,
    api,
    settings: Object.assign(new WatchingSettings(), settings),
    clock,
    random,
    logger,
    onStatus: (state) => states.push(state.state),
  });
  const controller = new AbortController();
  const running = source.run((event) => events.push(event), controller.signal);
  const stop = async (reason?: unknown): Promise<void> => {
    controller.abort(reason);
    await running;
    expect(clock.pending).toBe(0);
  };
  const summary = (): string[] =>
    events.map((event) =>
      event === 'LISTED' ? event : `${event.type} ${event.object.metadata.name}${event.vanished ? ' vanished' : ''}`,
    );
  const untilWatching = async (): Promise<void> => {
    for (let step = 0; step < 1000 && source.status.state !== 'watching'; step++) await clock.advance(1000);
    expect(source.status.state).toBe('watching');
  };
  return { ...server, source, events, states, stop, summary, untilWatching };
}

/** Streams that are handed out one after another, each time when a watch is opened. */
function streams(count: number): { streams: ScriptedStream[]; answers: Answer[] } {
  const all = Array.from({ length: count }, () => new ScriptedStream());
  return { streams: all, answers: all.map((stream) => ({ stream })) };
}

describe('WatchSource', () => {
  it('should give the existing objects, the mark, and then the changes', async () => {
    const {
      streams: [stream],
      answers,
    } = streams(1);
    const watch = watchOf([page(10, ['a', 'b'])], answers, {}, 'ns');
    await watch.clock.settle();
    stream.event('ADDED', make('c', 11)).event('MODIFIED', make('a', 12)).event('DELETED', make('b', 13));
    await watch.clock.settle();
    expect(watch.events).toEqual([
      { type: null, object: make('a', 10) },
      { type: null, object: make('b', 10) },
      'LISTED',
      { type: 'ADDED', object: make('c', 11) },
      { type: 'MODIFIED', object: make('a', 12) },
      { type: 'DELETED', object: make('b', 13) },
    ]);
    expect(watch.source.status).toMatchObject({ state: 'watching', resourceVersion: '13', restarts: 0, objects: 2 });
    expect(watch.transport.log).toEqual([
      'GET /apis/kopf.dev/v1/namespaces/ns/kopfexamples?limit=500',
      'GET /apis/kopf.dev/v1/namespaces/ns/kopfexamples?watch=true&allowWatchBookmarks=true&resourceVersion=10',
    ]);
    await watch.stop();
    expect(watch.states).toEqual(['listing', 'watching', 'stopped']);
    expect(stream.closed).toBe(true);
  });

  it.each([
    [3, 'limit=3'],
    [0, 'limit=0'],
  ])('should list in chunks of the size that Kopf has for them: %d', async (chunkSize, query) => {
    const { answers } = streams(1);
    const watch = watchOf([page(10, ['a'])], answers, { pageSize: 1, chunkSize });
    await watch.clock.settle(5);
    expect(watch.transport.log[0].split('?')[1]).toBe(query);
    await watch.stop();
  });

  it('should list in pages of one version', async () => {
    const { answers } = streams(1);
    const watch = watchOf([page(10, ['a'], 'next/1'), page(10, ['b'], 'next/2'), page(10, ['c'])], answers, {
      pageSize: 1,
    });
    await watch.clock.settle(5);
    expect(watch.summary()).toEqual(['null a', 'null b', 'null c', 'LISTED']);
    expect(watch.transport.log.map((line) => line.split('?')[1])).toEqual([
      'limit=1',
      'limit=1&continue=next%2F1',
      'limit=1&continue=next%2F2',
      'watch=true&allowWatchBookmarks=true&resourceVersion=10',
    ]);
    await watch.stop();
  });

  it('should list everything at once if the pages have expired, and notice what vanished in between', async () => {
    const { answers } = streams(1);
    const lists = [page(10, ['a', 'b'], 'next'), status(410, 'Expired', 'too old'), page(20, ['b', 'c'])];
    const watch = watchOf(lists, answers);
    await watch.clock.settle(5);
    expect(watch.summary()).toEqual(['null a', 'null b', 'null b', 'null c', 'DELETED a vanished', 'LISTED']);
    expect(watch.transport.log[2]).toBe('GET /apis/kopf.dev/v1/kopfexamples');
    expect(watch.clock.monotonic()).toBe(0);
    await watch.stop();
  });

  describe('interruptions', () => {
    it.each<[string, (stream: ScriptedStream) => void]>([
      ['an end of the stream', (stream) => stream.end()],
      ['a reset connection', (stream) => stream.end(systemError('ECONNRESET'))],
      [
        'a line that is cut',
        (stream) => stream.text('{"type":"ADDED","object":{"metad').end(systemError('ECONNRESET')),
      ],
      ['a line that is cut by the end', (stream) => stream.text('{"type":"ADDED","object":{"metad').end()],
    ])('should resume from the last version after %s, without a word', async (_, interrupt) => {
      const {
        streams: [first, second],
        answers,
      } = streams(2);
      const watch = watchOf([page(10, [])], answers);
      await watch.clock.settle();
      first.event('ADDED', make('a', 15)).event('BOOKMARK', { metadata: { resourceVersion: '17' } });
      interrupt(first);
      await watch.clock.advance(99);
      expect(watch.transport.requests.length).toBe(2);
      await watch.clock.advance(1);
      second.event('MODIFIED', make('a', 18));
      await watch.clock.settle();
      expect(watch.transport.log[2]).toContain('resourceVersion=17');
      expect(watch.summary()).toEqual(['LISTED', 'ADDED a', 'MODIFIED a']);
      expect(watch.source.status).toMatchObject({ state: 'watching', restarts: 1 });
      expect(watch.source.status.lastError).toBeUndefined();
      expect(watch.logger.messages('warn', 'error', 'log')).toEqual([]);
      await watch.stop();
    });

    it('should take the last line of a stream that ends without a newline', async () => {
      const {
        streams: [first],
        answers,
      } = streams(2);
      const watch = watchOf([page(10, [])], answers);
      await watch.clock.settle();
      first.text(JSON.stringify({ type: 'ADDED', object: make('a', 11) })).end();
      await watch.clock.settle();
      expect(watch.summary()).toEqual(['LISTED', 'ADDED a']);
      await watch.stop();
    });

    it('should open a silent stream again after the inactivity timeout, but not one with bookmarks', async () => {
      const {
        streams: [first],
        answers,
      } = streams(2);
      const watch = watchOf([page(10, [])], answers);
      for (let minute = 0; minute < 10; minute++) {
        await watch.clock.advance(60_000);
        first.event('BOOKMARK', { metadata: { resourceVersion: String(100 + minute) } });
      }
      await watch.clock.advance(69_900);
      expect(watch.transport.requests.length).toBe(2);
      await watch.clock.advance(300);
      expect(watch.transport.requests.length).toBe(3);
      expect(watch.transport.log[2]).toContain('resourceVersion=109');
      expect(first.closed).toBe(true);
      await watch.stop();
    });

    it('should not wait for ever for the answer to a watch request', async () => {
      const { answers } = streams(1);
      const watch = watchOf([page(10, [])], [() => new Promise(() => {}) as never, ...answers]);
      await watch.clock.advance(70_000);
      expect(watch.source.status).toMatchObject({ state: 'backingOff', lastError: { code: 'KOPF_REQUEST_TIMEOUT' } });
      await watch.clock.advance(1000);
      expect(watch.source.status.state).toBe('watching');
      await watch.stop();
    });

    it('should ask for the server timeout, and keep the own one', async () => {
      const {
        streams: [first],
        answers,
      } = streams(2);
      const watch = watchOf([page(10, [])], answers, { serverTimeout: 300, clientTimeout: 20 });
      await watch.clock.advance(20_000);
      expect(first.closed).toBe(true);
      await watch.clock.advance(100);
      expect(watch.transport.log.slice(1).every((line) => line.includes('timeoutSeconds=300'))).toBe(true);
      expect(watch.transport.log.length).toBe(3);
      await watch.stop();
    });

    it('should slow down when streams break at once each time, and be quick again after progress', async () => {
      const { streams: all, answers } = streams(3);
      const broken = Array.from({ length: 12 }, () => (): ScriptedAnswer => ({ stream: new ScriptedStream().end() }));
      const watch = watchOf([page(10, [])], [...broken, ...answers]);
      await watch.clock.advance(20_000);
      expect(watch.transport.requests.length).toBeLessThan(13);
      await watch.untilWatching();
      all[0].event('ADDED', make('a', 11)).end();
      await watch.clock.advance(100);
      all[1].event('ADDED', make('b', 12));
      await watch.clock.settle();
      expect(watch.summary()).toEqual(['LISTED', 'ADDED a', 'ADDED b']);
      await watch.stop();
    });
  });

  describe('a version that is too old', () => {
    it.each<[string, Answer]>([
      ['an event', () => ({ stream: new ScriptedStream().event('ERROR', gone) })],
      ['a status', status(410, 'Expired', 'too old')],
    ])('should be answered by a new list after %s, with the deletions that were missed', async (_, answer) => {
      const {
        streams: [first, second],
        answers,
      } = streams(2);
      const lists = [page(10, ['a', 'b', 'c']), page(50, ['b', 'd'])];
      const watch = watchOf(lists, [answers[0], answer, answers[1]]);
      await watch.clock.settle();
      first.event('DELETED', make('c', 11)).event('ADDED', make('e', 12)).end();
      await watch.clock.advance(1000);
      second.event('MODIFIED', make('d', 51));
      await watch.clock.settle();
      expect(watch.summary().slice(6)).toEqual([
        'null b',
        'null d',
        'DELETED a vanished',
        'DELETED e vanished',
        'LISTED',
        'MODIFIED d',
      ]);
      expect(watch.events[8]).toEqual({
        type: 'DELETED',
        vanished: true,
        object: {
          apiVersion: 'kopf.dev/v1',
          kind: 'KopfExample',
          metadata: { name: 'a', namespace: 'ns', uid: 'uid-a' },
        },
      });
      expect(watch.logger.messages('warn', 'error', 'log')).toEqual([]);
      expect(watch.source.status.objects).toBe(2);
      await watch.stop();
    });

    it('should tell an object from its successor of the same name, and report its deletion first, as a watch does', async () => {
      const { answers } = streams(1);
      const successor = page(50, []);
      (successor.json as any).items = [{ metadata: { ...make('a', 50).metadata, uid: 'uid-new' } }];
      const watch = watchOf([page(10, ['a']), successor], [status(410, 'Expired', ''), ...answers]);
      await watch.clock.advance(1000);
      expect(watch.events.slice(2)).toMatchObject([
        { type: 'DELETED', object: { metadata: { uid: 'uid-a' } } },
        { type: null, object: { metadata: { uid: 'uid-new' } } },
        'LISTED',
      ]);
      await watch.stop();
    });
  });

  describe('bad lines', () => {
    it.each([
      ['not JSON', 'secret garbage'],
      ['not an event', '"secret"'],
      ['null', 'null'],
      ['without an object', '{"type":"ADDED"}'],
      ['without metadata', '{"type":"ADDED","object":{"data":"secret"}}'],
    ])('should be reported without their content, and the stream resumed: %s', async (_, line) => {
      const {
        streams: [first, second],
        answers,
      } = streams(2);
      const watch = watchOf([page(10, [])], answers);
      await watch.clock.settle();
      first.event('ADDED', make('a', 11)).text(`${line}\n`);
      await watch.clock.advance(1000);
      second.event('ADDED', make('b', 12));
      await watch.clock.settle();
      expect(watch.summary()).toEqual(['LISTED', 'ADDED a', 'ADDED b']);
      expect(watch.transport.log[2]).toContain('resourceVersion=11');
      expect(watch.logger.messages('warn')).toEqual([expect.stringContaining('that is not an event')]);
      expect(watch.logger.messages().join()).not.toContain('secret');
      expect(watch.logger.messages('log')).toEqual([expect.stringContaining('works again')]);
      await watch.stop();
    });

    it('should lead to a new list when they come again and again', async () => {
      const { answers } = streams(1);
      const bad = Array.from({ length: 4 }, () => (): Answer => ({ stream: new ScriptedStream().text('x\n') }));
      const watch = watchOf([page(10, ['a']), page(20, ['a'])], [...(bad as Answer[]), ...answers]);
      await watch.clock.advance(30_000);
      expect(watch.summary()).toEqual(['null a', 'LISTED', 'null a', 'LISTED']);
      expect(watch.logger.messages('warn').length).toBe(1);
      await watch.stop();
    });

    it('should not hide events of unknown types, but tell of each type once', async () => {
      const {
        streams: [stream],
        answers,
      } = streams(1);
      const watch = watchOf([page(10, [])], answers);
      await watch.clock.settle();
      stream.event('RENAMED', make('a', 11)).event('RENAMED', make('a', 12)).event('ADDED', make('b', 13));
      await watch.clock.settle();
      expect(watch.summary()).toEqual(['LISTED', 'ADDED b']);
      expect(watch.logger.messages('warn')).toEqual([expect.stringContaining('"RENAMED"')]);
      await watch.stop();
    });

    it('should lead to a new list if the server reports an error', async () => {
      const { answers } = streams(1);
      const error = { kind: 'Status', code: 500, reason: 'InternalError', message: 'etcd failed' };
      const failing = (): ScriptedAnswer => ({ stream: new ScriptedStream().event('ERROR', error) });
      const watch = watchOf([page(10, ['a']), page(20, [])], [failing, ...answers]);
      await watch.clock.advance(1000);
      expect(watch.summary()).toEqual(['null a', 'LISTED', 'DELETED a vanished', 'LISTED']);
      expect(watch.logger.messages('warn')[0]).toContain('500 InternalError: etcd failed');
      await watch.stop();
    });
  });

  describe('failures', () => {
    it('should wait for an API server that is away, with one line at the beginning and one at the end', async () => {
      const {
        streams: [first, second],
        answers,
      } = streams(2);
      const refused = Array.from({ length: 20 }, () => systemError('ECONNREFUSED'));
      const watch = watchOf([page(10, [])], [answers[0], ...refused, answers[1]]);
      await watch.clock.settle();
      first.event('ADDED', make('a', 11)).end(systemError('ECONNRESET'));
      await watch.clock.advance(60_000);
      expect(watch.source.status).toMatchObject({ state: 'backingOff', lastError: { code: 'KOPF_CONNECTION' } });
      await watch.untilWatching();
      second.event('ADDED', make('b', 12));
      await watch.clock.settle();
      expect(watch.source.status.state).toBe('watching');
      expect(watch.source.status.lastError).toBeUndefined();
      expect(watch.summary()).toEqual(['LISTED', 'ADDED a', 'ADDED b']);
      expect(watch.logger.messages('warn', 'error', 'log')).toEqual([
        'Watching KopfExample (kopfexamples.kopf.dev) cluster-wide is interrupted. Trying again until it works. ' +
          'GET /apis/kopf.dev/v1/kopfexamples: no answer from https://127.0.0.1:6443: connection refused (ECONNREFUSED)',
        'Watching KopfExample (kopfexamples.kopf.dev) cluster-wide works again.',
      ]);
      await watch.stop();
    });

    it('should never pause for more than 30 seconds', async () => {
      const watch = watchOf([systemError('ECONNREFUSED')], []);
      await watch.clock.advance(3_600_000);
      const count = watch.transport.requests.length;
      await watch.clock.advance(30_000);
      expect(watch.transport.requests.length).toBeGreaterThan(count);
      expect(count).toBeLessThan(260);
      expect(watch.logger.messages('warn').length).toBe(1);
      await watch.stop();
    });

    it('should name the kind that is forbidden at once, and work when it is permitted', async () => {
      const { answers } = streams(1);
      const message = 'kopfexamples.kopf.dev is forbidden: User "x" cannot list resource';
      const forbidden = status(403, 'Forbidden', message);
      const watch = watchOf([forbidden, forbidden, forbidden, page(10, ['a'])], answers, {}, 'ns');
      await watch.clock.settle();
      expect(watch.source.status).toMatchObject({ state: 'forbidden', lastError: { code: 'KOPF_API_FORBIDDEN' } });
      expect(watch.logger.messages('warn')).toEqual([
        `Not permitted to watch KopfExample (kopfexamples.kopf.dev) in namespace "ns". Trying again until it works. ` +
          `GET /apis/kopf.dev/v1/namespaces/ns/kopfexamples: 403 Forbidden: ${message}`,
      ]);
      await watch.clock.advance(10_000);
      expect(watch.summary()).toEqual(['null a', 'LISTED']);
      expect(watch.states).toEqual([
        'listing',
        'forbidden',
        'listing',
        'forbidden',
        'listing',
        'forbidden',
        'listing',
        'watching',
      ]);
      expect(watch.logger.messages('warn', 'log').length).toBe(2);
      await watch.stop();
    });

    it('should wait for a resource that is not served, and list it anew', async () => {
      const {
        streams: [first],
        answers,
      } = streams(2);
      const missing = status(404, 'NotFound', 'the server could not find the requested resource');
      const watch = watchOf([page(10, ['a']), missing, missing, page(30, ['b'])], [answers[0], missing, answers[1]]);
      await watch.clock.settle();
      first.event('ADDED', make('c', 11)).end();
      await watch.clock.advance(500);
      expect(watch.source.status.state).toBe('gone');
      await watch.clock.advance(10_000);
      expect(watch.summary().slice(3)).toEqual(['null b', 'DELETED a vanished', 'DELETED c vanished', 'LISTED']);
      expect(watch.source.status.state).toBe('watching');
      expect(watch.logger.messages('warn').length).toBe(1);
      await watch.stop();
    });

    it.each(['list', 'watch'])(
      'should tell where a server redirects to that answers a %s so, and go on trying',
      async (which) => {
        const {
          streams: [stream],
          answers,
        } = streams(1);
        const redirect: ScriptedAnswer = {
          status: 302,
          headers: { location: 'https://login.example.com/?next=secret' },
        };
        const isList = which === 'list';
        const lists = [...(isList ? [redirect, redirect] : []), page(10, ['a'])];
        const watch = watchOf(lists, [...(isList ? [] : [redirect, redirect]), ...answers], { streamedLists: false });
        await watch.clock.advance(10_000);
        expect(watch.source.status.state).toBe('watching');
        expect(watch.logger.messages('warn')).toEqual([
          expect.stringMatching(
            /is interrupted\..*302 Found: the server redirects to https:\/\/login\.example\.com\/, /,
          ),
        ]);
        stream.event('ADDED', make('b', 11));
        await watch.clock.settle();
        expect(watch.summary().at(-1)).toBe('ADDED b');
        await watch.stop();
      },
    );

    it('should wait as long as an overloaded server asks for', async () => {
      const busy: ScriptedAnswer = { status: 429, headers: { 'retry-after': '17' } };
      const { answers } = streams(1);
      const watch = watchOf([busy, page(10, [])], answers);
      await watch.clock.advance(16_999);
      expect(watch.transport.requests.length).toBe(1);
      await watch.clock.advance(1);
      expect(watch.summary()).toEqual(['LISTED']);
      await watch.stop();
    });

    it('should list again when the server fails to resume several times', async () => {
      const { answers } = streams(1);
      const failing = status(504, 'Timeout', 'Too large resource version');
      const watch = watchOf([page(10, []), page(5, [])], [failing, failing, failing, failing, ...answers]);
      await watch.clock.advance(30_000);
      expect(watch.transport.log[watch.transport.log.length - 1]).toContain('resourceVersion=5');
      expect(watch.summary()).toEqual(['LISTED', 'LISTED']);
      await watch.stop();
    });

    it('should survive credentials that are not accepted for a while', async () => {
      const { answers } = streams(1);
      const denied = status(401, 'Unauthorized', 'Unauthorized');
      const watch = watchOf([denied, denied, denied, denied, page(10, [])], answers);
      await watch.clock.advance(3500);
      expect(watch.source.status).toMatchObject({ state: 'backingOff', lastError: { code: 'KOPF_LOGIN' } });
      await watch.clock.advance(150_000);
      expect(watch.summary()).toEqual(['LISTED']);
      await watch.stop();
    });

    it('should survive a consumer that fails', async () => {
      const { answers } = streams(1);
      const { api, clock, random, logger } = scriptedApi((request) =>
        request.path.includes('watch') ? (answers[0] as ScriptedAnswer) : page(1, ['a', 'b']),
      );
      const settings = new WatchingSettings();
      const source = new WatchSource({ resource: RESOURCE, api, settings, clock, random, logger });
      const controller = new AbortController();
      let calls = 0;
      const running = source.run(() => {
        calls++;
        throw new Error('a bug');
      }, controller.signal);
      await clock.settle();
      expect(calls).toBe(3);
      expect(logger.messages('error').length).toBe(3);
      expect(source.status.state).toBe('watching');
      controller.abort();
      await running;
    });
  });

  it('should leave nothing behind, however often it is interrupted', async () => {
    const broken = (): ScriptedAnswer => ({ stream: new ScriptedStream().event('ADDED', make('a', 11)).end() });
    const { api, clock, random, logger } = scriptedApi((request) =>
      request.path.includes('watch') ? broken() : page(1, []),
    );
    const source = new WatchSource({
      resource: RESOURCE,
      api,
      settings: new WatchingSettings(),
      clock,
      random,
      logger,
    });
    const controller = new AbortController();
    const running = source.run(() => {}, controller.signal);
    await clock.advance(100_000);
    expect(source.status.restarts).toBeGreaterThan(900);
    expect(getEventListeners(controller.signal, 'abort').length).toBeLessThan(5);
    expect(clock.pending).toBeLessThan(3);
    controller.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it('should be paused and run again, and then notice what has vanished', async () => {
    const { streams: all, answers } = streams(2);
    const watch = watchOf([page(10, ['a', 'b']), page(20, ['b'])], answers);
    await watch.clock.settle();
    await watch.stop(WatchSource.PAUSE);
    expect(watch.source.status.state).toBe('paused');
    expect(all[0].closed).toBe(true);
    const controller = new AbortController();
    const events: unknown[] = [];
    const running = watch.source.run((event) => events.push(event), controller.signal);
    await watch.clock.settle();
    expect(events).toMatchObject([
      { type: null, object: { metadata: { name: 'b' } } },
      { type: 'DELETED', vanished: true, object: { metadata: { name: 'a' } } },
      'LISTED',
    ]);
    controller.abort();
    await running;
    expect(watch.source.status.state).toBe('stopped');
  });

  it.each(['listing', 'opening', 'watching', 'waiting'])('should stop at once while %s', async (phase) => {
    const never = (): never => new Promise(() => {}) as never;
    const { answers } = streams(1);
    const lists = phase === 'listing' ? [never] : phase === 'waiting' ? [systemError('ECONNREFUSED')] : [page(10, [])];
    const watch = watchOf(lists, phase === 'opening' ? [never] : answers);
    await watch.clock.settle();
    await watch.stop();
    expect(watch.source.status.state).toBe('stopped');
    expect(watch.clock.monotonic()).toBe(0);
  });
});
