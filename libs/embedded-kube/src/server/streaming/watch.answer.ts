import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ApiRequest, ApiResponse } from '../api.request.js';
import { PROTOBUF } from '../media.negotiation.js';
import { acceptKey, WebSocketConnection } from './web-socket.connection.js';
import { spokenProtocols } from './web-socket.credentials.js';

type Body = AsyncIterableIterator<Uint8Array>;

const NEWLINE = 10;
/** The length of an event in protobuf stands before it, in so many bytes. */
const PREFIX = 4;
const VERSION = '13';

/**
 * Answers a watch: by a body that grows, or by a message for each event if the client asks for a WebSocket, as clients in Java and in
 * browsers do.
 *
 * @param isProtobuf whether events are separated by their lengths in the body, not by line breaks
 */
export function watchAnswer({ headers }: ApiRequest, body: Body, isProtobuf: boolean): ApiResponse {
  const asksForSocket =
    headers['upgrade']?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(headers['connection'] ?? '');
  if (!asksForSocket) {
    return {
      status: 200,
      headers: { 'content-type': isProtobuf ? `${PROTOBUF};stream=watch` : 'application/json' },
      body,
    };
  }
  const refusal = refusalOf(headers);
  if (refusal) {
    void body.return?.();
    return refusal;
  }
  const [protocol] = spokenProtocols(headers);
  const accept = {
    'sec-websocket-accept': acceptKey(headers['sec-websocket-key']!),
    ...(protocol && { 'sec-websocket-protocol': protocol }),
  };
  return {
    status: 101,
    headers: { upgrade: 'websocket', connection: 'Upgrade', ...accept },
    body,
    upgrade: (connection, head, sent) => {
      const socket = new WebSocketConnection(connection);
      socket.start(head);
      // The body is an own one only if nothing has replaced it on its way.
      const events = typeof sent === 'string' ? body : sent;
      sendEvents(events, socket, connection, isProtobuf).catch(() => connection.destroy());
    },
  };
}

/** Checks a handshake, in the order and with the answers of the real server. */
function refusalOf(headers: ApiRequest['headers']): ApiResponse | undefined {
  if (headers['sec-websocket-version'] !== VERSION) {
    return refused(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': VERSION });
  }
  if (!headers['sec-websocket-key']) return refused(400, 'mismatch challenge/response');
  if (!headers['origin']) return refused(403);
  return spokenProtocols(headers).length > 1 ? refused(400) : undefined;
}

function refused(status: number, body = '', headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers, body };
}

/** Sends each event as a message, as fast as the client reads, until one of both ends. */
async function sendEvents(
  events: Body,
  socket: WebSocketConnection,
  connection: Duplex,
  isProtobuf: boolean,
): Promise<void> {
  const closed = once(connection, 'close');
  socket.onClose = () => void events.return?.();
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of events) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = endOf(bytes, start, isProtobuf); end > 0; end = endOf(bytes, start, isProtobuf)) {
      const isSent = isProtobuf
        ? socket.send(bytes.subarray(start + PREFIX, end))
        : socket.sendText(bytes.subarray(start, end));
      if (!isSent) await Promise.race([once(connection, 'drain'), closed]);
      start = end;
    }
    rest = bytes.subarray(start);
  }
  socket.close();
}

/** Returns the place behind the event that begins at another place; 0 if it has not come as a whole. */
function endOf(bytes: Uint8Array, start: number, isProtobuf: boolean): number {
  if (!isProtobuf) return bytes.indexOf(NEWLINE, start) + 1;
  if (bytes.length < start + PREFIX) return 0;
  const end = start + PREFIX + new DataView(bytes.buffer, bytes.byteOffset + start).getUint32(0);
  return end <= bytes.length ? end : 0;
}
