import { sleep } from 'kube-common';
import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { changeInStages, RENEWAL } from './certificate.checks.js';
import type { CertificateSource, ServerCertificate } from './server.certificate.js';

/** The seconds for which a certificate is valid: a year. */
const LIFETIME = 365 * 86_400;

/** Certificates that the server creates itself, and that are lost with the process. */
export class SelfSignedCertificates implements CertificateSource {
  /** @param bundleDelay seconds from the publication of a new authority to its first use. */
  constructor(private readonly bundleDelay: number) {}

  async *provide(
    names: readonly string[],
    context: AdmissionServerContext,
  ): AsyncGenerator<ServerCertificate, void, undefined> {
    const { clock, signal, logger } = context;
    const { generateCertificate } = await import('./certificate.factory.js');
    const request = { names, lifetime: LIFETIME };
    let current = await generateCertificate(request, context);
    logger.debug(() => `A self-signed certificate was made for ${names.join(', ')}.`);
    yield current;
    while (await sleep(clock, LIFETIME * RENEWAL, signal)) {
      const next = await generateCertificate(request, context);
      yield* changeInStages(current, next, this.bundleDelay, context);
      current = next;
    }
  }
}
