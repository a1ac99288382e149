import { duplexPair, type Duplex } from 'node:stream';
import { acceptKey, WebSocketConnection } from './web-socket.connection.js';

const BINARY = 2;
const CLOSE = 8;
const MASK = [1, 2, 3, 4];

function frame(opcode: number, payload: Buffer, { final = true, masked = true } = {}): Buffer {
  const { length } = payload;
  const size = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0];
  if (length >= 65_536) size.push(...[24, 16, 8, 0].map((shift) => (length >> shift) & 255));
  size[0] |= masked ? 0x80 : 0;
  const content = masked ? payload.map((byte, index) => byte ^ MASK[index & 3]) : payload;
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | opcode, ...size, ...(masked ? MASK : [])]), content]);
}

describe('WebSocketConnection', () => {
  let client: Duplex;
  let socket: WebSocketConnection;
  let messages: string[];
  let received: Buffer;

  beforeEach(() => {
    const [ours, theirs] = duplexPair();
    client = theirs;
    received = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    messages = [];
    socket = new WebSocketConnection(ours);
    socket.onMessage = (message) => messages.push(message.toString());
    socket.start(Buffer.alloc(0));
  });

  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('should accept the key of RFC 6455', () => {
    expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  });

  it.each([5, 200, 70_000])('should take and send messages of %d bytes', async (length) => {
    client.write(frame(BINARY, Buffer.alloc(length, 'a')));
    socket.send(Buffer.alloc(length, 'b'));
    await settled();
    expect(messages).toEqual(['a'.repeat(length)]);
    const unmasked = frame(BINARY, Buffer.alloc(length, 'b'), { masked: false });
    expect(received.equals(unmasked)).toBe(true);
  });

  it('should put fragments together, wherever the bytes are cut', async () => {
    const all = Buffer.concat([
      frame(BINARY, Buffer.from('one '), { final: false }),
      frame(9, Buffer.from('ping')),
      frame(0, Buffer.from('two')),
    ]);
    for (const byte of all) client.write(Buffer.from([byte]));
    await settled();
    expect(messages).toEqual(['one two']);
    expect(received.equals(frame(10, Buffer.from('ping'), { masked: false }))).toBe(true);
  });

  it.each([
    ['is not masked', frame(BINARY, Buffer.from('a'), { masked: false }), 1002],
    ['is too large', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
    ['says goodbye', frame(CLOSE, Buffer.from([0x03, 0xe8])), 1000],
  ])('should close when a message %s', async (_name, bytes, code) => {
    let isClosed = false;
    socket.onClose = () => (isClosed = true);
    client.write(bytes);
    await settled();
    expect([isClosed, messages]).toEqual([true, []]);
    expect([...received]).toEqual([0x88, 2, code >> 8, code & 255]);
  });
});
