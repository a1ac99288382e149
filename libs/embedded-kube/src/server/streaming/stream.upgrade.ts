import { badRequest } from '../../errors/status.errors.js';
import type { ApiRequest, ApiResponse } from '../api.request.js';
import { SpdyConnection } from './spdy.connection.js';
import { acceptKey, WebSocketConnection, WebSocketTunnel } from './web-socket.connection.js';

/** The protocols that are spoken over WebSockets and over SPDY, the preferred ones first. */
export interface Carriers {
  readonly webSocket: readonly string[];
  readonly spdy: readonly string[];
}

/** A carrier of streams: SPDY, by itself or within a WebSocket, or the messages of a WebSocket. */
export type Carrier =
  | { readonly spdy: SpdyConnection; readonly webSocket?: undefined }
  | { readonly spdy?: undefined; readonly webSocket: WebSocketConnection };

/** The prefix of the name of a protocol over SPDY where a WebSocket carries it. */
const TUNNEL = 'SPDY/3.1+';

/**
 * Answers a request to change the protocol.
 *
 * @param serve speaks the new protocol with the client
 * @throws StatusError if the client does not ask for that, or only for protocols that are not spoken here
 */
export function streamUpgrade(
  { headers }: ApiRequest,
  { webSocket, spdy }: Carriers,
  serve: (carrier: Carrier) => void | Promise<void>,
): ApiResponse {
  const protocol = headers['upgrade']?.toLowerCase();
  if (protocol === 'spdy/3.1') {
    const version = choose(headers['x-stream-protocol-version'], spdy);
    const answer = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': version };
    return {
      ...switching(answer),
      upgrade: (connection, head) => {
        const carrier = new SpdyConnection(connection);
        void serve({ spdy: carrier });
        carrier.start(head);
      },
    };
  }
  const key = headers['sec-websocket-key'];
  if (protocol !== 'websocket' || key === undefined) throw badRequest('Upgrade request required');
  const tunnels = spdy.map((each) => `${TUNNEL}${each}`);
  const version = choose(headers['sec-websocket-protocol'], [...tunnels, ...webSocket]);
  const accept = { 'sec-websocket-accept': acceptKey(key), 'sec-websocket-protocol': version };
  return {
    ...switching({ connection: 'Upgrade', upgrade: 'websocket', ...accept }),
    upgrade: (connection, head) => {
      const socket = new WebSocketConnection(connection);
      if (version.startsWith(TUNNEL)) {
        const carrier = new SpdyConnection(new WebSocketTunnel(socket));
        void serve({ spdy: carrier });
        carrier.start(new Uint8Array());
      } else {
        void serve({ webSocket: socket });
      }
      socket.start(head);
    },
  };
}

function switching(headers: Readonly<Record<string, string>>): ApiResponse {
  return { status: 101, headers, body: '' };
}

function choose(offered: string | undefined, known: readonly string[]): string {
  const names = (offered ?? '').split(',').map((name) => name.trim());
  const chosen = known.find((name) => names.includes(name));
  if (chosen === undefined) {
    throw badRequest(
      `unable to upgrade: unable to negotiate protocol: client supports [${names.join(' ')}], server accepts [${known.join(' ')}]`,
    );
  }
  return chosen;
}
