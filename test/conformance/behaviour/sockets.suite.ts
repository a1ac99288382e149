import type { ConnectionInfo } from 'nestjs-kopf';
import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';
import { type Handshake, openSocket } from './socket.client.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const BEARER = 'base64url.bearer.authorization.k8s.io.';

/** Declares the tests of watches over WebSockets, as fabric8's client in Java and browsers open them. */
export function describeSockets(api: () => ApiConversation): void {
  describe('watches over WebSockets', () => {
    let name: string;
    let path: string;

    beforeAll(async () => {
      name = api().name('socket');
      path = `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3D${name}`;
      await api().post(CONFIG_MAPS, { metadata: { name }, data: { a: '1' } });
    });

    const open = (
      query: string,
      count: number,
      headers?: Readonly<Record<string, string | undefined>>,
    ): Promise<Handshake> => openSocket(api().credentials, `${path}${query}`, count, headers);
    const bearer = (): string => {
      const { token } = api().credentials as ConnectionInfo & { readonly token: string };
      return `${BEARER}${Buffer.from(token).toString('base64url')}`;
    };

    it('should send a message for each event', async () => {
      let change: Promise<unknown> | undefined;
      const onMessages = ({ length }: Handshake['messages']): void => {
        if (length === 1) change ??= api().patch(`${CONFIG_MAPS}/${name}`, { data: { a: '2' } });
      };
      const { status, messages } = await openSocket(api().credentials, path, 2, {}, onMessages);
      await change;
      expect(status).toBe(101);
      const events = messages.map((message) => JSON.parse(message as string) as object);
      expect(events[0]).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name } } });
      expect(events[1]).toMatchObject({ type: 'MODIFIED', object: { metadata: { name } } });
      expect(messages.every((message) => (message as string).endsWith('}\n'))).toBe(true);
    });

    it('should send the bytes of events in protobuf', async () => {
      const { messages } = await open('', 1, { accept: PROTOBUF });
      const [message] = messages as [Buffer];
      expect([...message.subarray(0, 7)]).toEqual([10, 5, ...Buffer.from('ADDED')]);
      expect(message.includes(`k8s\0\n\u000f\n\u0002v1\u0012\u0009ConfigMap`)).toBe(true);
    });

    it('should take a token from the protocols, as browsers have no other place for it', async () => {
      const withoutHeader = { authorization: undefined };
      const offered = await open('', 1, { ...withoutHeader, 'sec-websocket-protocol': `${bearer()}, json` });
      expect([offered.status, offered.protocol, offered.messages.length]).toEqual([101, 'json', 1]);
      const alone = await open('', 1, { ...withoutHeader, 'sec-websocket-protocol': bearer() });
      expect([alone.status, JSON.parse(String(alone.body))]).toMatchObject([401, { message: 'Unauthorized' }]);
      const wrong = { ...withoutHeader, 'sec-websocket-protocol': `${BEARER}eHl6, json` };
      expect((await open('', 1, wrong)).status).toBe(401);
    });

    it.each([
      ['of no origin', { origin: undefined }, 403, ''],
      ['of another version', { 'sec-websocket-version': '12' }, 400, 'missing or bad WebSocket Version'],
      ['without a key', { 'sec-websocket-key': undefined }, 400, 'mismatch challenge/response'],
      ['that offer several protocols', { 'sec-websocket-protocol': 'a, b' }, 400, ''],
    ])('should refuse handshakes %s', async (_name, headers, status, text) => {
      const answer = await open('', 1, headers);
      expect([answer.status, String(answer.body)]).toEqual([status, text]);
    });

    it('should refuse what cannot be watched before the handshake', async () => {
      const { status, body } = await openSocket(api().credentials, `${CONFIG_MAPS}?watch=1&fieldSelector=a%3Db`, 1);
      expect([status, JSON.parse(String(body))]).toMatchObject([400, { kind: 'Status', reason: 'BadRequest' }]);
    });

    it('should end with the watch, over HTTP as well, where lengths set events in protobuf apart', async () => {
      const query =
        '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
      const plain = { connection: undefined, upgrade: undefined, accept: PROTOBUF };
      const [socket, stream] = await Promise.all([open(query, Infinity), open(query, 0, plain)]);
      expect(socket.messages).toHaveLength(2);
      expect([stream.status, stream.contentType]).toEqual([200, `${PROTOBUF};stream=watch`]);
      const { body } = stream;
      const events: string[] = [];
      for (let at = 0; at < body.length; at += 4 + body.readUInt32BE(at)) {
        events.push(body.subarray(at + 6, at + 6 + body[at + 5]).toString());
      }
      expect(events).toEqual(['ADDED', 'BOOKMARK']);
    });
  });
}
