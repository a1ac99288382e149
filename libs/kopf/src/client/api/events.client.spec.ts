import { scriptedApi, status, systemError } from '../../../../../test/support/transport/scripted.api.js';
import { PostingSettings } from '../../settings/operator.settings.js';
import { cutMessage, type EventRequest, EventsClient } from './events.client.js';

const about = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', labels: { not: 'needed' } },
};
const event = { about, type: 'Normal', reason: 'Logging', message: 'Done.' };

function make(script: Parameters<typeof scriptedApi>[0] = () => ({ json: {} })) {
  const server = scriptedApi(script);
  const settings = Object.assign(new PostingSettings(), { defaultBackoffs: [] });
  const client = new EventsClient(server.api, settings, server.clock, server.logger);
  return { ...server, client };
}

describe('EventsClient', () => {
  it("should post events in Kopf's form", async () => {
    const { client, transport } = make();
    await client.post(event);
    expect(transport.log).toEqual(['POST /api/v1/namespaces/ns/events']);
    const now = '2020-12-31T23:59:59.000000+00:00';
    expect(transport.requests[0].body).toBe(
      JSON.stringify({
        metadata: { namespace: 'ns', generateName: 'kopf-event-' },
        action: 'Action?',
        type: 'Normal',
        reason: 'Logging',
        message: 'Done.',
        reportingComponent: 'kopf',
        reportingInstance: 'dev',
        source: { component: 'kopf' },
        involvedObject: { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', uid: 'u', namespace: 'ns' },
        firstTimestamp: now,
        lastTimestamp: now,
        eventTime: now,
      }),
    );
  });

  it('should post events about objects without a namespace where kubectl looks for them, whatever the credentials say', async () => {
    const { client, transport, vault } = make();
    await vault.acquire();
    await client.post({ ...event, about: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } });
    expect(transport.log).toEqual(['POST /api/v1/namespaces/default/events']);
    expect(JSON.parse(transport.requests[0].body!).involvedObject).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'n',
    });
  });

  it('should not post an event twice when the answer was lost', async () => {
    const server = scriptedApi(() => systemError('ECONNRESET'));
    const client = new EventsClient(server.api, new PostingSettings(), server.clock, server.logger);
    await server.clock.runUntil(client.post(event));
    expect(server.transport.log.length).toBe(1);
    expect(server.logger.messages('warn')).toEqual([expect.stringMatching(/^An event was not posted/)]);
  });

  it.each<[string, EventRequest['backoffs'], Partial<PostingSettings>, number[]]>([
    ['of the event', [2, 3], { defaultBackoffs: [9] }, [2, 3]],
    ['of the event, as a number', 4, { defaultBackoffs: [9] }, [4]],
    ['of the event, without retries', [], { defaultBackoffs: [9] }, []],
    ['of the settings', undefined, { defaultBackoffs: [7, 8, 9] }, [7, 8, 9]],
    ['of the settings, as a number', undefined, { defaultBackoffs: 0.5 }, [0.5]],
    ['by default', undefined, {}, [1, 1, 2, 3, 5, 8, 13, 21]],
  ])(
    'should post a refused event again after the backoffs %s, and then drop it',
    async (_, backoffs, given, expected) => {
      const times: number[] = [];
      const server = scriptedApi(() => {
        times.push(server.clock.monotonic() / 1000);
        return [status(403, 'Forbidden', 'no'), status(500, 'InternalError', 'no'), status(503, 'Unavailable', 'no')][
          times.length % 3
        ];
      });
      const settings = Object.assign(new PostingSettings(), given);
      const client = new EventsClient(server.api, settings, server.clock, server.logger);
      const onRetry = vi.fn();
      await server.clock.runUntil(client.post({ ...event, backoffs }, onRetry));
      expect(times.slice(1).map((time, index) => time - times[index])).toEqual(
        expected.map((delay) => expect.closeTo(delay)),
      );
      expect(onRetry).toHaveBeenCalledTimes(expected.length);
      expect(server.logger.messages('warn').at(-1)).toMatch(/^An event was not posted/);
    },
  );

  it('should not post events about events', async () => {
    const { client, transport } = make();
    await client.post({ ...event, about: { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } } });
    expect(transport.log).toEqual([]);
  });

  it('should only warn if an event is refused', async () => {
    const { client, logger } = make(() => status(403, 'Forbidden', 'no events here'));
    await client.post(event);
    expect(logger.messages('warn')).toEqual([
      'An event was not posted (type=Normal, reason=Logging): ' +
        'POST /api/v1/namespaces/ns/events: 403 Forbidden: no events here',
    ]);
  });
});

describe('cutMessage', () => {
  it.each([
    ['short', 'a'.repeat(1024), 'a'.repeat(1024)],
    ['long', 'a'.repeat(600) + 'b'.repeat(600), `${'a'.repeat(511)}...${'b'.repeat(510)}`],
    ['a little too long', 'a'.repeat(1025), `${'a'.repeat(511)}...${'a'.repeat(510)}`],
    ['long in other letters', 'ж'.repeat(600), `${'ж'.repeat(255)}...${'ж'.repeat(255)}`],
    ['long in pictures', '🎉'.repeat(300), `${'🎉'.repeat(127)}...${'🎉'.repeat(127)}`],
  ])('should leave no more than 1024 bytes of a message that is %s', (_, message, expected) => {
    expect(cutMessage(message)).toBe(expected);
    expect(Buffer.byteLength(cutMessage(message))).toBeLessThanOrEqual(1024);
  });
});
