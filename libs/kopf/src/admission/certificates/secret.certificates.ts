import type { AdmissionServerContext, AdmissionApi } from '../servers/admission-server.interface.js';
import { errorText, sleep } from 'kube-common';
import { isSameCertificate, changeInStages } from './certificate.checks.js';
import { CertificateError, type CertificateSource, type ServerCertificate } from './server.certificate.js';
import { CertificateRotation } from './certificate.rotation.js';
import { ifFound } from '../../client/api/object.reader.js';
import { ApiConflictError, ApiNotFoundError } from '../../client/api/api.errors.js';
import type { ObjectMeta } from '../../objects/kube-object.js';

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

/** Holds the contents of the Secret: the certificate in use, and the one to be used next, if there is one already. */
export interface StoredCertificates {
  readonly current: Partial<ServerCertificate>;
  readonly next?: Pick<ServerCertificate, 'certificate' | 'privateKey'>;
  /** Tells whether the Secret was made by an operator, and may be changed. */
  readonly isManaged: boolean;
  /** Changes with each write; absent if there is no Secret yet. */
  readonly metadata?: ObjectMeta;
}

interface Secret {
  readonly metadata: ObjectMeta;
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const MANAGER_LABEL = 'app.kubernetes.io/managed-by';
const MANAGER = 'nestjs-kopf';

/** A Secret of the type `kubernetes.io/tls`, with `ca.crt`, and with `next.crt` and `next.key` while it is rotated. */
export class SecretStore {
  constructor(
    private readonly api: AdmissionApi,
    private readonly namespace: string,
    private readonly name: string,
  ) {}

  get title(): string {
    return `Secret ${this.namespace}/${this.name}`;
  }

  /** `undefined` if there is none. */
  async read(signal: AbortSignal): Promise<StoredCertificates | undefined> {
    const secret = await ifFound(this.api.request<Secret>('GET', this.path(this.name), undefined, { signal }));
    return secret && parse(secret);
  }

  /**
   * Writes the certificates if the Secret has not changed since it was read, or still does not exist.
   *
   * @returns whether it was written; if not, another replica was faster.
   */
  async write({ current, next, metadata }: StoredCertificates, signal: AbortSignal): Promise<boolean> {
    const { name, namespace } = this;
    const labels = { ...metadata?.labels, [MANAGER_LABEL]: MANAGER };
    const data = encode({
      'tls.crt': current.certificate,
      'tls.key': current.privateKey,
      'ca.crt': current.caBundle,
      'next.crt': next?.certificate,
      'next.key': next?.privateKey,
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', data };
    const object = { ...secret, metadata: { ...metadata, name, namespace, labels } };
    try {
      if (metadata) await this.api.request('PUT', this.path(name), object, { signal });
      else await this.api.request('POST', this.path(), object, { signal });
      return true;
    } catch (error) {
      if (error instanceof ApiConflictError || (metadata && error instanceof ApiNotFoundError)) return false;
      throw error;
    }
  }

  private path(name?: string): string {
    const secrets = `/api/v1/namespaces/${encodeURIComponent(this.namespace)}/secrets`;
    return name === undefined ? secrets : `${secrets}/${encodeURIComponent(name)}`;
  }
}

function parse({ metadata, data = {} }: Secret): StoredCertificates {
  const read = (key: string): string | undefined =>
    data[key] ? Buffer.from(data[key], 'base64').toString('utf8') : undefined;
  const [certificate, privateKey] = [read('next.crt'), read('next.key')];
  return {
    current: { certificate: read('tls.crt'), privateKey: read('tls.key'), caBundle: read('ca.crt') },
    next: certificate && privateKey ? { certificate, privateKey } : undefined,
    isManaged: metadata.labels?.[MANAGER_LABEL] === MANAGER,
    metadata,
  };
}

function encode(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  return Object.fromEntries(given.map(([key, text]) => [key, Buffer.from(text!).toString('base64')]));
}
