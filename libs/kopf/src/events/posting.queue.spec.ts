import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import type { EventRequest, EventsClient } from '../client/api/events.client.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { PostingQueue } from './posting.queue.js';

function prepare(queueLimit = 1000) {
  const sent: EventRequest[] = [];
  const waiting: (() => void)[] = [];
  const client = {
    post: (request: EventRequest) => {
      sent.push(request);
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
  } as EventsClient;
  const settings = new KopfSettings();
  settings.posting.queueLimit = queueLimit;
  const logger = new MemoryLogger();
  const queue = new PostingQueue(client, settings, logger);
  const post = (reason: string, kind = 'Pod', apiVersion = 'v1'): void =>
    queue.post(
      { apiVersion, kind, metadata: { name: 'a', labels: { l: '1' } }, spec: { large: true } },
      'Normal',
      reason,
      'text',
    );
  const answer = async (): Promise<void> => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, post, answer, sent, settings, logger, reasons: () => sent.map(({ reason }) => reason) };
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
    queue.post({ apiVersion, kind, metadata: {} }, 'Normal', 'A', '');
    expect(reasons()).toEqual(expected);
  });

  it('should send nothing if the settings say so', () => {
    const { post, reasons, settings } = prepare();
    settings.posting.enabled = false;
    post('A');
    expect(reasons()).toEqual([]);
  });
});
