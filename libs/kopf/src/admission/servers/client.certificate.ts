import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../contexts/admission.interface.js';
import { readName } from './distinguished.name.js';

/**
 * Reads which certificate the client of a connection has shown.
 *
 * @returns `undefined` if it has shown none, was not asked for one, or does not speak TLS.
 */
export function readClientCertificate(socket: Socket | TLSSocket): ClientCertificate | undefined {
  if (!isTls(socket)) return undefined;
  // There is none of a closed connection, and an empty one if the client has shown nothing.
  const certificate = socket.getPeerCertificate() as PeerCertificate | null;
  if (!certificate?.fingerprint256) return undefined;
  const { serialNumber, fingerprint256, valid_from, valid_to } = certificate;
  return {
    subject: readName(certificate.subject),
    issuer: readName(certificate.issuer),
    serialNumber,
    fingerprint256,
    validFrom: new Date(valid_from),
    validTo: new Date(valid_to),
    isVerified: socket.authorized,
  };
}

function isTls(socket: Socket | TLSSocket): socket is TLSSocket {
  return 'encrypted' in socket && socket.encrypted;
}
