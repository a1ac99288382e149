import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../access/authenticator.js';
import { AUTHENTICATED } from '../access/users.js';

const CREDENTIAL = 'authentication.kubernetes.io/credential-id';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** The certificates of clients, read once for each connection: the common name is the user's, organizations are groups. */
export class ClientCertificates {
  private readonly known = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

  of(socket: TLSSocket): ClientCertificate | undefined {
    let found = this.known.get(socket);
    if (!found) this.known.set(socket, (found = { certificate: read(socket) }));
    return found.certificate;
  }
}

function read(socket: TLSSocket): ClientCertificate | undefined {
  const { subject, fingerprint256, ext_key_usage: usages } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const { CN: name, O: organizations } = subject as { readonly CN?: string; readonly O?: string | string[] };
  if (!socket.authorized || usages?.includes(CLIENT_AUTH) !== true || !name) return {};
  const groups = organizations === undefined ? [] : [organizations].flat();
  const extra = { [CREDENTIAL]: [`X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { holder: { name, groups: [...groups, AUTHENTICATED], extra } };
}
