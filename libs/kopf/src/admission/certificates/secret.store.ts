import type { AdmissionApi } from '../../reviews/admission-server.interface.js';
import type { ServerCertificate } from './server.certificate.js';
import { ifFound } from '../../client/api/object.reader.js';
import { ApiConflictError, ApiNotFoundError } from '../../client/api/api.errors.js';
import type { ObjectMeta } from '../../objects/kube-object.js';

/** The certificates in the Secret: the one in use, and the next one, if there is one already. */
export interface StoredCertificates {
  readonly current: Partial<ServerCertificate>;
  readonly next?: Pick<ServerCertificate, 'certificate' | 'privateKey'>;
  /** Whether the Secret was made by an operator, and may be changed. */
  readonly isManaged: boolean;
  /** The metadata with the resource version for the next write; absent if there is no Secret yet. */
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

  /** Reads the certificates; `undefined` if there is no Secret. */
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
