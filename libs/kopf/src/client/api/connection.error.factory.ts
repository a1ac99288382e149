import { ConnectionError } from './api.errors.js';
import { KopfError } from '../../common/kopf.errors.js';

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no complete answer in time',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CLOSED: 'the connections are closed',
  UND_ERR_DESTROYED: 'the connections are closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed and its authority is not given",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate authority is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate authority is not given",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
};

/** Failures of connecting, after which the server cannot have got the request. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * Makes a readable error of whatever prevented an answer; errors of the library are passed as they are.
 *
 * @param what the method and the path, or what else was tried.
 * @param server the server's URL, without credentials.
 */
export function createConnectionError(what: string, server: string, error: unknown): KopfError {
  if (error instanceof KopfError) return error;
  const cause = revealsUrl(error) ? undefined : error;
  return new ConnectionError(`${what}: no answer from ${server}: ${explain(error)}`, {
    cause,
    unsent: isUnsent(error),
  });
}

function isUnsent(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length) return error.errors.every(isUnsent);
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return (typeof code === 'string' && UNSENT.has(code)) || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Checks whether the error shows a URL, such as a proxy's, which can contain a password. */
function revealsUrl(error: unknown): boolean {
  return error instanceof Error && 'input' in error;
}

function explain(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length) return explain(error.errors[0]);
  if (!(error instanceof Error)) return 'unknown reason';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (!code) return error.message;
  return `${EXPLANATIONS[code] ?? error.message} (${code})`;
}
