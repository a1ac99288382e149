import type { AdmissionServerContext } from './admission-server.interface.js';
import { errorText } from '../../common/texts.js';
import { sleep } from '../../common/waiting.js';
import { CertificateError } from '../certificates/certificate.error.js';
import { readText } from '../certificates/certificate.files.js';

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
    const pem = verifyCafile === undefined ? verifyCadata : await readText(verifyCafile);
    if (pem !== undefined && !pem.includes('-----BEGIN CERTIFICATE-----')) {
      throw new CertificateError("There is no certificate among the authorities for the clients' certificates.");
    }
    return pem;
  }
}
