import type { PeerCertificate } from 'node:tls';

/** The errors of certificates that no trusted authority has signed. */
const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);
const UNVERIFIED = 'tls: failed to verify certificate: x509: ';

type NetworkError = Error & {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: PeerCertificate;
};

/** Describes why a connection failed in the words of the real server, as users look for them. */
export function networkMessage(error: unknown): string {
  const { code = '', message, address = '', port, hostname, host, cert } = error as NetworkError;
  if (UNTRUSTED.has(code)) return `${UNVERIFIED}certificate signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address.includes(':') ? `[${address}]` : address}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
      return message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${UNVERIFIED}certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${UNVERIFIED}${nameMismatch(host ?? '', cert?.subjectaltname ?? '')}`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'http: server gave HTTP response to HTTPS client';
    default:
      return message;
  }
}

function nameMismatch(host: string, alternatives: string): string {
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host);
  const prefix = isAddress ? 'IP Address:' : 'DNS:';
  const names = alternatives.split(', ').filter((each) => each.startsWith(prefix));
  if (names.length > 0) {
    return `certificate is valid for ${names.map((each) => each.slice(prefix.length)).join(', ')}, not ${host}`;
  }
  if (isAddress) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}
