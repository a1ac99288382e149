import { KopfError } from '../../common/kopf.errors.js';

/** The certificate of a server of webhooks cannot be used: it is missing, broken, expired, or is not its key's. */
export class CertificateError extends KopfError {
  readonly code = 'KOPF_CERTIFICATE';
}
