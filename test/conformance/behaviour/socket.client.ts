import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionInfo } from 'nestjs-kopf';

/** The answer of a server to a handshake, and the messages that it has sent then. */
export interface Handshake {
  readonly status: number;
  readonly protocol: string | undefined;
  readonly contentType: string | undefined;
  /** The body of an answer that is not the beginning of a WebSocket. */
  readonly body: Buffer;
  /** Texts, and bytes. */
  readonly messages: readonly (string | Buffer)[];
}

const ORIGIN = 'https://console.example.com';
const TEXT = 1;
const CLOSE = 8;

/**
 * Asks for a WebSocket.
 *
 * @param count ends the connection after so many messages, or when the server does
 * @param headers beside those of a handshake; `undefined` leaves one of them out
 * @param onMessages is told what has come so far, each time when more has come
 */
export function openSocket(
  { server, token, caData, caPath }: ConnectionInfo,
  path: string,
  count: number,
  headers: Readonly<Record<string, string | undefined>> = {},
  onMessages: (messages: Handshake['messages']) => void = () => undefined,
): Promise<Handshake> {
  const all = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: ORIGIN,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    authorization: `Bearer ${token}`,
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const ca = caPath === undefined ? (caData as string) : readFileSync(caPath);
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, server), { ca, headers: sent });
    outgoing.on('error', reject);
    outgoing.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const { statusCode: status = 0, headers: answered } = response;
      const contentType = answered['content-type'];
      response.on('end', () => {
        resolve({ status, protocol: undefined, contentType, body: Buffer.concat(chunks), messages: [] });
      });
    });
    outgoing.on('upgrade', (response: IncomingMessage, connection: Duplex, head: Buffer) => {
      const protocol = response.headers['sec-websocket-protocol'];
      let bytes = head;
      const take = (): void => {
        const { messages, isClosed } = readMessages(bytes);
        onMessages(messages);
        if (messages.length < count && !isClosed) return;
        connection.destroy();
        resolve({ status: 101, protocol, contentType: undefined, body: Buffer.alloc(0), messages });
      };
      connection.on('error', () => undefined);
      connection.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        take();
      });
      take();
    });
    outgoing.end();
  });
}

function readMessages(bytes: Buffer): { messages: (string | Buffer)[]; isClosed: boolean } {
  const messages: (string | Buffer)[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const opcode = bytes[at] & 15;
    const short = bytes[at + 1] & 127;
    const start = at + (short === 127 ? 10 : short === 126 ? 4 : 2);
    if (bytes.length < start) break;
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    if (bytes.length < start + length) break;
    const message = bytes.subarray(start, start + length);
    if (opcode === CLOSE) return { messages, isClosed: true };
    messages.push(opcode === TEXT ? message.toString() : message);
    at = start + length;
  }
  return { messages, isClosed: false };
}
