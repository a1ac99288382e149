import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import { errorText } from 'kube-common';
import {
  checkCertificate,
  coversNames,
  isIssuedWithin,
  mergeBundles,
  readNames,
  readValidity,
  RENEWAL,
} from './certificate.checks.js';
import { CertificateError, type ServerCertificate } from './server.certificate.js';
import type { GeneratedCertificate } from './certificate.factory.js';
import type { SecretStore, StoredCertificates } from './secret.store.js';

/** The options of the rotation: the store, the names, and how long a certificate is used. */
export interface CertificateRotationOptions {
  readonly store: SecretStore;
  readonly names: readonly string[];
  /** The seconds for which a certificate is valid. */
  readonly lifetime: number;
  /** The seconds between the publication of a new authority and its first use. */
  readonly bundleDelay: number;
}

/** The most attempts of a replica to write while other replicas write first. */
const ATTEMPTS = 10;

/**
 * The rotation of the certificates in a Secret, one step at a time: a first certificate is created; after two thirds of its lifetime, the
 * next one is created and its authority is published; when all clients can know the authority, the next certificate is used.
 *
 * The first replica that notices makes a step, and the others find it made. Each replica measures by its own clock for how long an
 * authority has been published, as the clocks of replicas differ.
 */
export class CertificateRotation {
  /** The next certificate, and when this replica has seen it first, in monotonic milliseconds. */
  private prepared?: { readonly certificate: string; readonly since: number };
  private latest?: ServerCertificate;

  constructor(
    private readonly options: CertificateRotationOptions,
    private readonly context: AdmissionServerContext,
  ) {}

  /**
   * Makes the step that is due, if any.
   *
   * @returns the certificate to use now.
   * @throws CertificateError if the operator has not made the Secret, and its certificate cannot be used.
   */
  async advance(signal: AbortSignal): Promise<ServerCertificate> {
    const { store } = this.options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = await store.read(signal);
      const target = await this.decide(stored);
      if (!target) return this.adopt(stored!);
      if (await store.write(target, signal)) return this.adopt(target);
    }
    throw new CertificateError(`${store.title} changes all the time.`);
  }

  /** Decides which certificates belong into the Secret now; `undefined` if they are there already. */
  private async decide(stored: StoredCertificates | undefined): Promise<StoredCertificates | undefined> {
    const defect = stored ? this.findDefect(stored) : 'it does not exist yet';
    if (!stored?.isManaged) return stored ? this.acceptForeign(defect) : this.createFirst(stored, defect!);
    if (defect) return this.isUsable(stored) ? this.promote(stored) : this.createFirst(stored, defect);
    if (stored.next) return this.isKnown(stored.next.certificate) ? this.promote(stored) : undefined;
    return this.isDue(stored.current.certificate!) ? this.prepare(stored) : undefined;
  }

  private acceptForeign(defect: string | undefined): undefined {
    if (defect)
      throw new CertificateError(`${this.options.store.title} cannot be used, and is not the operator's: ${defect}`);
  }

  /** Checks whether the next certificate can be used already. */
  private isUsable({ current, next, isManaged }: StoredCertificates): boolean {
    return next !== undefined && !this.findDefect({ current: { ...current, ...next }, isManaged });
  }

  private findDefect({ current, isManaged }: StoredCertificates): string | undefined {
    try {
      checkCertificate({ certificate: '', privateKey: '', ...current }, this.context.clock.now());
    } catch (error) {
      return errorText(error);
    }
    // The maker of a foreign Secret has chosen its names and authorities.
    if (!isManaged) return undefined;
    if (!isIssuedWithin(current.certificate!, current.caBundle ?? '')) return 'Its authority is not in its bundle.';
    if (coversNames(current.certificate!, this.options.names)) return undefined;
    return `It is not valid for all of ${this.options.names.join(', ')}.`;
  }

  /** Replaces an unusable certificate at once; authorities that other replicas still use stay in the bundle. */
  private async createFirst(stored: StoredCertificates | undefined, why: string): Promise<StoredCertificates> {
    this.context.logger.log(`A certificate is made for ${this.options.store.title}: ${why}`);
    const made = await this.generate(stored);
    const bundles = [stored?.current.caBundle, this.latest?.caBundle, made.caBundle];
    const caBundle = mergeBundles(bundles, this.context.clock.now());
    return { current: { ...made, caBundle }, isManaged: true, metadata: stored?.metadata };
  }

  private async prepare(stored: StoredCertificates): Promise<StoredCertificates> {
    this.context.logger.log(`The next certificate is made for ${this.options.store.title}.`);
    const { caBundle: authority, ...next } = await this.generate(stored);
    const caBundle = mergeBundles([stored.current.caBundle, authority], this.context.clock.now());
    return { ...stored, current: { ...stored.current, caBundle }, next };
  }

  private promote(stored: StoredCertificates): StoredCertificates {
    this.context.logger.log(`The next certificate of ${this.options.store.title} is used from now on.`);
    return { ...stored, current: { ...stored.current, ...stored.next }, next: undefined };
  }

  private async generate(stored: StoredCertificates | undefined): Promise<GeneratedCertificate> {
    const { generateCertificate } = await import('./certificate.factory.js');
    // Replicas of another version may need other names, and must not replace the certificate in turns.
    const names = new Set([...this.options.names, ...readNamesIfAny(stored?.current.certificate)]);
    return generateCertificate({ names: [...names], lifetime: this.options.lifetime }, this.context);
  }

  private isDue(certificate: string): boolean {
    const { from, until } = readValidity(certificate);
    // A certificate is valid before its creation, because of clocks that are behind.
    const made = Math.max(from, until - this.options.lifetime * 1000);
    return this.context.clock.now() >= made + (until - made) * RENEWAL;
  }

  private isKnown(certificate: string): boolean {
    const now = this.context.clock.monotonic();
    if (this.prepared?.certificate !== certificate) this.prepared = { certificate, since: now };
    return now - this.prepared.since >= this.options.bundleDelay * 1000;
  }

  private adopt({ current, next }: StoredCertificates): ServerCertificate {
    if (next) this.isKnown(next.certificate);
    this.latest = current as ServerCertificate;
    return this.latest;
  }
}

function readNamesIfAny(certificate: string | undefined): readonly string[] {
  try {
    return certificate ? readNames(certificate) : [];
  } catch {
    return [];
  }
}
