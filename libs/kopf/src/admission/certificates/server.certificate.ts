import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { KopfError } from '../../common/kopf.errors.js';

/** Holds the certificate that a webhook server shows to its clients, in PEM. */
export interface ServerCertificate {
  /** The server's certificate, followed by those of intermediate authorities, if there are any. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Of the private key, if it is encrypted. */
  readonly password?: string;
  /** The authorities by which clients verify the certificate; without it, they use those that they trust anyway. */
  readonly caBundle?: string;
}

/**
 * Provides the certificates of a webhook server, each time when there is a new one.
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
   * Gives the certificate to serve with, and again whenever it or its authorities change, until the signal is aborted.
   *
   * New authorities must be given some time before the first certificate by them, as clients need time to get to know them.
   *
   * @param names the host names and addresses that the server is reached by.
   */
  provide(names: readonly string[], context: AdmissionServerContext): AsyncIterable<ServerCertificate>;
}

/** The certificate of a server of webhooks cannot be used: it is missing, broken, expired, or is not its key's. */
export class CertificateError extends KopfError {
  readonly code = 'KOPF_CERTIFICATE';
}
