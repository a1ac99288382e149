import type { ApiRequest } from '../api.request.js';

type Headers = ApiRequest['headers'];

/** The beginning of the name of the protocol by which browsers present a token, as they cannot set headers of WebSockets. */
const BEARER = 'base64url.bearer.authorization.k8s.io.';

/**
 * Reads the credentials of a request, from `Authorization` or from the protocols of a WebSocket.
 *
 * @returns the value that `Authorization` would have; an unknown token if no other protocol is named beside it, as the real server requires
 * one
 */
export function credentialsOf(headers: Headers): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined || !headers['sec-websocket-protocol']?.includes(BEARER)) return authorization;
  const bearer = protocolsOf(headers).find((name) => name.startsWith(BEARER));
  if (bearer === undefined) return undefined;
  const token = Buffer.from(bearer.slice(BEARER.length), 'base64url').toString('utf8');
  return spokenProtocols(headers).length > 0 ? `Bearer ${token}` : 'Bearer without-protocol';
}

/** Returns the protocols that a client offers to speak over a WebSocket, without the one that carries its token. */
export function spokenProtocols(headers: Headers): readonly string[] {
  return protocolsOf(headers).filter((name) => !name.startsWith(BEARER));
}

function protocolsOf(headers: Headers): readonly string[] {
  const names = headers['sec-websocket-protocol']?.split(',') ?? [];
  return names.map((name) => name.trim()).filter((name) => name !== '');
}
