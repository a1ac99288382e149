import { Duplex, duplexPair } from 'node:stream';
import { once } from 'node:events';
import { constants, createDeflate } from 'node:zlib';
import { SpdyConnection, type SpdyStream } from './spdy.connection.js';
import { SPDY_DICTIONARY } from './spdy.headers.js';

/** The client's end, as far as a test needs it. */
class SpdyClient {
  private readonly deflate = createDeflate({ dictionary: SPDY_DICTIONARY });

  constructor(private readonly carrier: Duplex) {}

  async open(id: number, headers: Record<string, string>, flags = 0): Promise<void> {
    const block = [number(Object.keys(headers).length), ...Object.entries(headers).flat().flatMap(prefixed)];
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer): void => void chunks.push(chunk);
    this.deflate.on('data', collect).write(Buffer.concat(block));
    await new Promise<void>((resolve) => this.deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    this.deflate.off('data', collect);
    this.control(1, Buffer.concat([number(id), number(0), Buffer.alloc(2), ...chunks]), flags);
  }

  data(id: number, text: string, flags = 0): void {
    this.carrier.write(Buffer.concat([number(id), number((flags << 24) | text.length), Buffer.from(text)]));
  }

  control(type: number, payload: Buffer, flags = 0): void {
    this.carrier.write(Buffer.concat([number(0x80030000 | type), number((flags << 24) | payload.length), payload]));
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function prefixed(text: string): Buffer[] {
  return [number(text.length), Buffer.from(text)];
}

describe('SpdyConnection', () => {
  let client: SpdyClient;
  let carrier: Duplex;
  let connection: SpdyConnection;
  let streams: SpdyStream[];

  beforeEach(() => {
    const [ours, theirs] = duplexPair();
    carrier = theirs;
    client = new SpdyClient(theirs);
    connection = new SpdyConnection(ours);
    streams = [];
    connection.onStream = (stream) => streams.push(stream);
    connection.start(Buffer.alloc(0));
  });

  const opened = async (count: number): Promise<void> => {
    while (streams.length < count) await new Promise((resolve) => setImmediate(resolve));
  };

  it('should take streams with their headers, and bytes up to their end', async () => {
    await client.open(1, { 'Stream-Type': 'data', port: '80' });
    await client.open(3, { 'stream-type': 'error', port: '81' });
    client.data(1, 'hello ');
    client.data(1, 'world', 1);
    await opened(2);
    expect(streams.map(({ id, headers }) => [id, Object.fromEntries(headers)])).toEqual([
      [1, { 'stream-type': 'data', port: '80' }],
      [3, { 'stream-type': 'error', port: '81' }],
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of streams[0]) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('hello world');
  });

  it('should answer streams and pings, and send bytes and the end', async () => {
    const received: Buffer[] = [];
    carrier.on('data', (chunk: Buffer) => received.push(chunk));
    await client.open(1, { a: 'b' });
    client.control(6, number(7));
    await opened(1);
    streams[0].end('hi');
    await once(streams[0], 'finish');
    const sent = Buffer.concat(received).toString('hex');
    expect(sent).toMatch(/^80030002/);
    expect(sent).toContain('800300060000000400000007');
    expect(sent).toContain('000000010000000268690000000101000000');
  });

  it('should end streams with the connection, or when the client resets them', async () => {
    let isClosed = false;
    connection.onClose = () => (isClosed = true);
    await client.open(1, { a: '1' });
    await client.open(3, { a: '2' });
    await opened(2);
    client.control(3, Buffer.concat([number(1), number(5)]));
    await once(streams[0], 'close');
    carrier.end();
    streams[1].resume();
    await once(streams[1], 'end');
    expect(isClosed).toBe(true);
  });

  it('should close a connection whose headers cannot be read', async () => {
    const closed = new Promise<void>((resolve) => (connection.onClose = resolve));
    client.control(1, Buffer.concat([number(1), number(0), Buffer.alloc(2), Buffer.from('nonsense')]));
    await closed;
    expect(streams).toEqual([]);
  });
});
