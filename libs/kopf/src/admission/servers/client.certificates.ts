import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { errorText, sleep } from 'kube-common';
import { CertificateError } from '../certificates/server.certificate.js';
import { readCertificateFile } from '../certificates/certificate.files.js';
import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket, Certificate } from 'node:tls';
import type { ClientCertificate } from '../../reviews/admission.review.js';

/** Tells where the authorities of clients' certificates are. */
export interface ClientAuthoritiesOptions {
  readonly verifyCafile?: string;
  readonly verifyCadata?: string;
  /** Sets how often the file is checked, in seconds. */
  readonly interval: number;
}

/** The authorities that clients' certificates must be by, in PEM; `undefined` if there are none. */
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

/** Holds the attributes of a certificate's subject or issuer: `{ CN: 'admin', O: 'system:masters' }`. */
export type DistinguishedName = Readonly<Record<string, string | readonly string[]>>;

/** Reads a name of a certificate. Node's names have no prototype, which is of no use to those who compare and print them. */
export function readName(name: Certificate): DistinguishedName {
  return { ...name } as DistinguishedName;
}
