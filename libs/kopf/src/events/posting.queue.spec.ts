import { VirtualClock } from '../testing/time/virtual.clock.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import type { EventRequest, EventsClient } from '../client/api/events.client.js';
import type { KubeObject, ObjectMeta } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { PostingQueue } from './posting.queue.js';

function prepare(queueLimit = 1000) {
  const sent: EventRequest[] = [];
  const waiting: (() => void)[] = [];
  const retries: (() => void)[] = [];
  const client = {
    post: (request: EventRequest, onRetry: () => void) => {
      sent.push(request);
      retries.push(onRetry);
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
  } as EventsClient;
  const settings = new KopfSettings();
  settings.posting.queueLimit = queueLimit;
  const logger = new MemoryLogger();
  const clock = new VirtualClock();
  const queue = new PostingQueue(client, settings, clock, logger);
  const post = (reason: string, kind = 'Pod', apiVersion = 'v1'): void =>
    queue.post(
      { apiVersion, kind, metadata: { name: 'a', labels: { l: '1' } }, spec: { large: true } },
      { type: 'Normal', reason, message: 'text' },
    );
  const postAbout = (name: string, reason: string): void =>
    queue.post({ apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: `uid-${name}` } }, { type: 'Normal', reason });
  /** Answers the request that has waited longest, or another one. */
  const answer = async (index = 0): Promise<void> => {
    waiting.splice(index, 1)[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const reasons = (): string[] => sent.map(({ reason }) => reason);
  return { queue, post, postAbout, answer, retries, sent, settings, clock, logger, reasons };
}

describe('PostingQueue', () => {
  it('should send one event after another, with what identifies the object only', async () => {
    const { post, answer, sent, reasons } = prepare();
    post('A');
    post('B');
    expect(reasons()).toEqual(['A']);
    expect(sent[0]).toEqual({
      about: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: undefined, uid: undefined } },
      type: 'Normal',
      reason: 'A',
      message: 'text',
    });
    await answer();
    expect(reasons()).toEqual(['A', 'B']);
    await answer();
    post('C');
    expect(reasons()).toEqual(['A', 'B', 'C']);
  });

  it('should be flushed when all was sent', async () => {
    const { queue, post, answer } = prepare();
    await queue.flush();
    post('A');
    post('B');
    let flushed = false;
    const flushing = queue.flush().then(() => (flushed = true));
    await answer();
    expect(flushed).toBe(false);
    await answer();
    await flushing;
  });

  it('should drop what is too much, and tell of it once', async () => {
    const { post, answer, reasons, logger } = prepare(2);
    for (const reason of ['A', 'B', 'C', 'D', 'E']) post(reason);
    await answer();
    await answer();
    await answer();
    expect(reasons()).toEqual(['A', 'B', 'C']);
    expect(logger.messages('warn')).toEqual(['2 events were not posted, as too many were waiting.']);
  });

  it('should count the events of all objects that wait, also for a connection or a retry', async () => {
    const { postAbout, answer, retries, settings, reasons, logger } = prepare(2);
    settings.networking.connections = 4;
    for (const name of ['a', 'b', 'c', 'd', 'e']) postAbout(name, name);
    expect(reasons()).toEqual(['a', 'b']);
    retries[0]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reasons()).toEqual(['a', 'b', 'c']);
    postAbout('f', 'f');
    await answer();
    expect(logger.messages('warn')).toEqual(['2 events were not posted, as too many were waiting.']);
    postAbout('g', 'g');
    await answer();
    await answer();
    expect(reasons()).toEqual(['a', 'b', 'c', 'd', 'g']);
  });

  it('should drop what waits when it is closed, and take nothing more', async () => {
    const { queue, post, answer, reasons } = prepare();
    post('A');
    post('B');
    queue.close();
    post('C');
    await answer();
    expect(reasons()).toEqual(['A']);
    await queue.flush();
  });

  it.each([
    ['Event', 'v1', []],
    ['Event', 'events.k8s.io/v1', []],
    ['Event', 'example.com/v1', ['A']],
    ['Event', undefined, ['A']],
  ])('should decide on events about %s of %s', (kind, apiVersion, expected) => {
    const { queue, reasons } = prepare();
    queue.post({ apiVersion, kind, metadata: {} }, { type: 'Normal', reason: 'A' });
    expect(reasons()).toEqual(expected);
  });

  it('should send nothing if the settings say so', () => {
    const { post, reasons, settings } = prepare();
    settings.posting.enabled = false;
    post('A');
    expect(reasons()).toEqual([]);
  });

  it('should send events of different objects side by side, and those of each in their order', async () => {
    const { queue, postAbout, answer, reasons } = prepare();
    postAbout('a', 'A1');
    postAbout('a', 'A2');
    postAbout('b', 'B1');
    postAbout('b', 'B2');
    expect(reasons()).toEqual(['A1', 'B1']);
    // The event of the first object is still retried.
    await answer(1);
    expect(reasons()).toEqual(['A1', 'B1', 'B2']);
    await answer(1);
    await answer();
    expect(reasons()).toEqual(['A1', 'B1', 'B2', 'A2']);
    await answer();
    await queue.flush();
  });

  it('should know an object by its uid, and without one by its kind, namespace, and name', () => {
    const { queue, reasons } = prepare();
    const about = (metadata: ObjectMeta, kind = 'Pod'): KubeObject => ({ apiVersion: 'v1', kind, metadata });
    const info = { type: 'Normal', reason: '' };
    queue.post(about({ name: 'a', namespace: 'n', uid: '1' }), { ...info, reason: 'first' });
    queue.post(about({ name: 'a', namespace: 'n', uid: '2' }), { ...info, reason: 'other uid' });
    queue.post(about({ name: 'a', namespace: 'n' }), { ...info, reason: 'no uid' });
    queue.post(about({ name: 'a', namespace: 'm' }), { ...info, reason: 'other namespace' });
    queue.post(about({ name: 'a', namespace: 'n' }, 'Node'), { ...info, reason: 'other kind' });
    queue.post(about({ name: 'b', namespace: 'n', uid: '1' }), { ...info, reason: 'same uid' });
    queue.post(about({ name: 'a', namespace: 'n' }), { ...info, reason: 'same name' });
    expect(reasons()).toEqual(['first', 'other uid', 'no uid', 'other namespace', 'other kind']);
  });

  it('should have no more workers than the settings allow, and let further objects wait in their order', async () => {
    const { postAbout, answer, settings, reasons } = prepare();
    settings.posting.workerLimit = 2;
    for (const name of ['a', 'b', 'c', 'd']) postAbout(name, name);
    postAbout('a', 'a2');
    postAbout('c', 'c2');
    expect(reasons()).toEqual(['a', 'b']);
    await answer(1);
    expect(reasons()).toEqual(['a', 'b', 'c']);
    await answer();
    expect(reasons()).toEqual(['a', 'b', 'c', 'a2']);
    await answer(1);
    expect(reasons()).toEqual(['a', 'b', 'c', 'a2', 'd']);
    await answer();
    await answer();
    expect(reasons()).toEqual(['a', 'b', 'c', 'a2', 'd', 'c2']);
  });

  it('should end workers at once if their number is not limited', async () => {
    const { postAbout, answer, clock } = prepare();
    postAbout('a', 'a1');
    await answer();
    expect(clock.pending).toBe(0);
  });

  it('should end idle workers after a time, or when another object needs the place', async () => {
    const { queue, postAbout, answer, settings, clock, reasons } = prepare();
    settings.posting.workerLimit = 1;
    settings.posting.idleTimeout = 5;
    postAbout('a', 'a1');
    await answer();
    expect(clock.pending).toBe(1);
    postAbout('a', 'a2');
    expect(clock.pending).toBe(0);
    await answer();
    postAbout('b', 'b1');
    expect(clock.pending).toBe(0);
    await answer();
    expect(reasons()).toEqual(['a1', 'a2', 'b1']);
    await clock.advance(4000);
    expect(clock.pending).toBe(1);
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
    postAbout('b', 'b2');
    await answer();
    expect(clock.pending).toBe(1);
    queue.close();
    expect(clock.pending).toBe(0);
  });

  it('should use only half of the connections for events that have not failed', async () => {
    const { queue, postAbout, answer, retries, settings, reasons } = prepare();
    settings.networking.connections = 4;
    for (const name of ['a', 'b', 'c', 'd', 'e']) postAbout(name, name);
    expect(reasons()).toEqual(['a', 'b']);
    await answer(1);
    expect(reasons()).toEqual(['a', 'b', 'c']);
    retries[0]();
    retries[0]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reasons()).toEqual(['a', 'b', 'c', 'd']);
    queue.close();
    await answer();
    await answer();
    await answer();
    expect(reasons()).toEqual(['a', 'b', 'c', 'd']);
    await queue.flush();
  });
});
