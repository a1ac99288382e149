import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import { ifFound } from '../../client/api/object.reader.js';
import type { Lease, LeaseSpec } from './lease.js';

/** Reads and writes one Lease. Nothing is retried here: it is in the election. Nor does anything wait for
 * the budget of requests: a Lease is lost by waiting. */
export class LeaseClient {
  constructor(
    private readonly api: KubeApi,
    private readonly namespace: string,
    private readonly name: string,
  ) {}

  get title(): string {
    return `Lease ${this.namespace}/${this.name}`;
  }

  /** `undefined` if there is none. */
  get(timeout: number): Promise<Lease | undefined> {
    return ifFound(this.api.get<Lease>(this.path, createOptions(timeout)));
  }

  /**
   * Writes the Lease if it has not changed since it was read, or creates it.
   *
   * @throws ApiConflictError if another replica was faster.
   */
  write(lease: Lease | undefined, spec: LeaseSpec, timeout: number): Promise<Lease> {
    const options = createOptions(timeout);
    if (lease) return this.api.put<Lease>(this.path, { ...lease, spec }, options);
    const { name, namespace } = this;
    const created = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    return this.api.post<Lease>(this.collection, created, options);
  }

  private get path(): string {
    return `${this.collection}/${encodeURIComponent(this.name)}`;
  }

  private get collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(this.namespace)}/leases`;
  }
}

function createOptions(timeout: number): ApiCallOptions {
  return { retries: false, timeout, urgent: true };
}
