import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { errorText, sleep } from 'kube-common';
import { isSameCertificate, changeInStages } from './certificate.checks.js';
import { CertificateError, type CertificateSource, type ServerCertificate } from './server.certificate.js';
import { CertificateRotation } from './certificate.rotation.js';
import { SecretStore } from './secret.store.js';

/** The Secret of a shared certificate, and how long the certificate is used. */
export interface SecretCertificatesOptions {
  readonly name: string;
  /** @default the operator's */
  readonly namespace?: string;
  /** The seconds for which a certificate is valid; it is replaced after two thirds of this time. @default 90 days */
  readonly lifetime?: number;
  /** The seconds between two reads of the Secret. @default 60 */
  readonly interval?: number;
  /**
   * The seconds between the publication of a new authority and its first use: several intervals, so that all replicas have read it.
   * @default 300
   */
  readonly bundleDelay?: number;
}

const DAY = 86_400;
/** The part by which each interval is shortened at most, at random, so that replicas do not read at the same time. */
const JITTER = 0.1;
/** The seconds until clients know a new authority that was not published before. */
const SETTLING_TIME = 30;

/**
 * A certificate that all replicas of the operator share: the first replica creates it and stores it in a Secret.
 *
 * One of the replicas replaces it in time: it publishes the new authority beside the old one, and uses the new certificate when all
 * replicas and clients know the authority. A Secret of another maker, such as cert-manager, is only read. The operator needs the
 * permissions to get, create, and update the Secret.
 */
export class SecretCertificates implements CertificateSource {
  constructor(private readonly options: SecretCertificatesOptions) {}

  /** @throws ApiError if there is no access to the Secret at the beginning; CertificateError if the operator has not made it, and its certificate cannot be used. */
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
