import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import { errorText, sleep } from 'kube-common';
import { CertificateError } from '../certificates/server.certificate.js';
import { readCertificateFile } from '../certificates/certificate.files.js';
import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket, Certificate } from 'node:tls';
import type { ClientCertificate } from '../../reviews/admission.review.js';
import type { VerifyMode } from './webhook-server.options.js';

/** The authorities of clients' certificates: a file, or their text. */
export interface ClientAuthoritiesOptions {
  readonly verifyCafile?: string;
  readonly verifyCadata?: string;
  /** The seconds between two checks of the file. */
  readonly interval: number;
}

/** The authorities that must have signed the clients' certificates. */
export class ClientAuthorities {
  private pem?: string;

  constructor(private readonly options: ClientAuthoritiesOptions) {}

  get current(): string | undefined {
    return this.pem;
  }

  /** @throws CertificateError if the file cannot be read. */
  async load(): Promise<void> {
    this.pem = await this.read();
  }

  /** Checks the file periodically until the signal is aborted; never rejects. */
  async follow(
    onChange: () => void,
    { clock, signal, logger }: Pick<AdmissionServerContext, 'clock' | 'signal' | 'logger'>,
  ): Promise<void> {
    if (this.options.verifyCafile === undefined) return;
    while (await sleep(clock, this.options.interval, signal)) {
      try {
        const next = await this.read();
        if (next === this.pem) continue;
        this.pem = next;
        onChange();
        logger.log("The authorities for the certificates of the webhooks' clients have changed.");
      } catch (error) {
        logger.error(`The new authorities for the webhooks' clients are not used: ${errorText(error)}`);
      }
    }
  }

  private async read(): Promise<string | undefined> {
    const { verifyCafile, verifyCadata } = this.options;
    const pem = verifyCafile === undefined ? verifyCadata : await readCertificateFile(verifyCafile);
    if (pem !== undefined && !pem.includes('-----BEGIN CERTIFICATE-----')) {
      throw new CertificateError("There is no certificate among the authorities for the clients' certificates.");
    }
    return pem;
  }
}

/** The check of the clients of a webhook server by their certificates. They are read once for each connection, which has many requests. */
export class ClientIdentification {
  private readonly certificates = new WeakMap<Socket, ClientCertificate | undefined>();

  constructor(private readonly verifyMode: VerifyMode) {}

  /**
   * Returns the certificate of a client, if it has one, and the server asks for it.
   *
   * @throws AdmissionRequestError 403 if no trusted authority has signed it, or if it is missing, but required.
   */
  identify(socket: Socket): ClientCertificate | undefined {
    if (this.verifyMode === 'none') return undefined;
    if (!this.certificates.has(socket)) this.certificates.set(socket, readClientCertificate(socket));
    const certificate = this.certificates.get(socket);
    if (certificate ? !certificate.isVerified : this.verifyMode === 'required') {
      throw new AdmissionRequestError("The client's certificate is missing, or not by a trusted authority.", 403);
    }
    return certificate;
  }
}

/**
 * Reads the certificate that the client of a connection has shown.
 *
 * @returns `undefined` if it has shown none, was not asked for one, or does not speak TLS.
 */
export function readClientCertificate(socket: Socket | TLSSocket): ClientCertificate | undefined {
  if (!isTls(socket)) return undefined;
  // It is null for a closed connection, and empty if the client has shown none.
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

/** The attributes of a certificate's subject or issuer: `{ CN: 'admin', O: 'system:masters' }`. */
export type DistinguishedName = Readonly<Record<string, string | readonly string[]>>;

/** Copies a name of a certificate into a plain object, as Node's names have no prototype, and cannot be compared or printed like others. */
export function readName(name: Certificate): DistinguishedName {
  return { ...name } as DistinguishedName;
}
