import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { KopfError } from '../../common/kopf.errors.js';

/** The certificate that a webhook server shows to its clients, in PEM. */
export interface ServerCertificate {
  /** The server's certificate, followed by those of intermediate authorities, if there are any. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The password of the private key, if it is encrypted. */
  readonly password?: string;
  /** The authorities by which clients verify the certificate; without it, they use those that they trust anyway. */
  readonly caBundle?: string;
}

/**
 * A source of certificates for a webhook server.
 *
 * @example
 * const source: CertificateSource = {
 *   async *provide(names, { signal, clock }) {
 *     while (!signal.aborted) {
 *       const { certificate, privateKey, caBundle, expiresIn } = await vault.issue(names);
 *       yield { certificate, privateKey, caBundle };
 *       await sleep(clock, expiresIn / 2, signal);
 *     }
 *   },
 * };
 */
export interface CertificateSource {
  /**
   * Yields the certificate to serve with, and another one whenever it or its authorities change, until the signal is aborted.
   *
   * Publish a new authority some time before the first certificate that it has signed, as clients need time to read it.
   *
   * @param names the host names and addresses that the server is reached by.
   */
  provide(names: readonly string[], context: AdmissionServerContext): AsyncIterable<ServerCertificate>;
}

/** The error of a certificate that a webhook server cannot use: it is missing, broken, expired, or does not belong to its key. */
export class CertificateError extends KopfError {
  readonly code = 'KOPF_CERTIFICATE';
}
