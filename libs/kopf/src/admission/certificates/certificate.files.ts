import { readFile } from 'node:fs/promises';
import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { errorText, sleep } from 'kube-common';
import { checkCertificate, isSameCertificate, changeInStages } from './certificate.checks.js';
import { CertificateError, type CertificateSource, type ServerCertificate } from './server.certificate.js';

/** The files of a certificate, and how often they are checked for changes. */
export interface CertificateFilesOptions {
  readonly certfile: string;
  readonly pkeyfile: string;
  /** The password of the private key, if it is encrypted. */
  readonly password?: string;
  /** The file of the authorities. @default the certificate itself */
  readonly cafile?: string;
  /** The authorities in PEM, instead of a file. */
  readonly cadata?: string;
  /** The seconds between two checks of the files. */
  readonly interval: number;
  /** The seconds between the publication of a new authority and its first use. */
  readonly bundleDelay: number;
}

/**
 * The certificate in files, which are read again periodically.
 *
 * New files that cannot be used are reported, and the old certificate is used until they are corrected.
 */
export class CertificateFiles implements CertificateSource {
  constructor(private readonly options: CertificateFilesOptions) {}

  /** @throws CertificateError if the files cannot be used at the beginning. */
  async *provide(
    _names: readonly string[],
    context: AdmissionServerContext,
  ): AsyncGenerator<ServerCertificate, void, undefined> {
    const { clock, signal, logger } = context;
    const { interval, bundleDelay } = this.options;
    let current = await this.read();
    checkCertificate(current, clock.now());
    yield current;
    let reported = '';
    while (await sleep(clock, interval, signal)) {
      try {
        const next = await this.read();
        if (isSameCertificate(current, next)) continue;
        checkCertificate(next, clock.now());
        logger.log('The certificate of the webhooks has changed.');
        yield* changeInStages(current, next, bundleDelay, context);
        current = next;
        reported = '';
      } catch (error) {
        const message = `The new certificate of the webhooks is not used: ${errorText(error)}`;
        if (message !== reported) logger.error(message);
        reported = message;
      }
    }
  }

  private async read(): Promise<ServerCertificate> {
    const { certfile, pkeyfile, password, cafile, cadata } = this.options;
    const [certificate, privateKey, caText] = await Promise.all([
      readCertificateFile(certfile),
      readCertificateFile(pkeyfile),
      cafile === undefined ? cadata : readCertificateFile(cafile),
    ]);
    return { certificate, privateKey, password, caBundle: caText ?? certificate };
  }
}

/** @throws CertificateError which names the file. */
export async function readCertificateFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CertificateError(`Cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`);
  }
}
