import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { errorText, sleep } from 'kube-common';
import { isSameCertificate, changeInStages } from './certificate.checks.js';
import { CertificateError, type CertificateSource, type ServerCertificate } from './server.certificate.js';
import { CertificateRotation } from './certificate.rotation.js';
import { SecretStore } from './secret.store.js';

/** Tells where a shared certificate is kept, and for how long it is used. */
export interface SecretCertificatesOptions {
  readonly name: string;
  /** @default the operator's */
  readonly namespace?: string;
  /** Limits for how long a certificate is valid, in seconds; it is replaced after two thirds of this time. @default 90 days */
  readonly lifetime?: number;
  /** Sets how often the Secret is read again, in seconds. @default 60 */
  readonly interval?: number;
  /** Seconds from the publication of a new authority to its first use; several intervals, for all replicas to have it. @default 300 */
  readonly bundleDelay?: number;
}

const DAY = 86_400;
/** Shortens each interval by up to this part, randomized, so that replicas do not come at the same time. */
const JITTER = 0.1;
/** Seconds until clients know of new authorities that were not published in advance. */
const SETTLING_TIME = 30;

/**
 * A certificate that all replicas of the operator share: whoever is first makes it and keeps it in a Secret.
 *
 * It is replaced in time, by one of the replicas: first the new authority is published beside the old one, and only
 * when it is known everywhere, the new certificate is used. A Secret that somebody else has made, such as
 * cert-manager, is only read. The operator needs the permissions to get, create, and update the Secret.
 */
export class SecretCertificates implements CertificateSource {
  constructor(private readonly options: SecretCertificatesOptions) {}

  /** @throws ApiError if there is no access to the Secret at the beginning; CertificateError if it is somebody else's and unusable. */
  async *provide(
    names: readonly string[],
    context: AdmissionServerContext,
  ): AsyncGenerator<ServerCertificate, void, undefined> {
    const { name, namespace = context.api.defaultNamespace, lifetime = 90 * DAY } = this.options;
    const { interval = 60, bundleDelay = 300 } = this.options;
    if (!namespace) throw new CertificateError(`The namespace of the Secret ${name} is not known.`);
    const store = new SecretStore(context.api, namespace, name);
    const rotation = new CertificateRotation({ store, names, lifetime, bundleDelay }, context);
    const { clock, random, signal, logger } = context;
    let current: ServerCertificate | undefined;
    while (!signal.aborted) {
      try {
        const next = await rotation.advance(signal);
        if (!current) yield next;
        else if (!isSameCertificate(current, next)) yield* changeInStages(current, next, SETTLING_TIME, context);
        current = next;
      } catch (error) {
        if (signal.aborted) return;
        if (!current) throw error;
        logger.warn(`${store.title} cannot be checked, the certificate is used as it was: ${errorText(error)}`);
      }
      await sleep(clock, interval * (1 - JITTER * random.next()), signal);
    }
  }
}
