import { ApiConflictError, ApiForbiddenError } from '../client/api/api.errors.js';
import type { ApiCallOptions, KubeApi } from '../client/api/api.client.js';
import { ifFound } from '../client/api/object.reader.js';
import type { KubeList } from '../client/api/kube.list.js';
import { type Clock, errorText, sleep } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { CustomResourceError } from './crd.error.js';
import type { CustomResourceDefinition } from './definition.interface.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const FIELD_MANAGER = 'nestjs-kopf';

/** Seconds between two reads of a CRD that is not established yet, and seconds after which waiting for it ends. */
const POLLING = 0.2;
const PATIENCE = 60;

/** Seconds between two reads of a CRD that is being deleted. */
const TERMINATION_POLLING = 1;

/** Whether objects can be created, or are all being deleted with their CRD. */
export type DefinitionState = 'established' | 'terminating';

/** The client that reads and writes CRDs; its errors say what to do where that is forbidden. */
export class DefinitionClient {
  constructor(
    private readonly api: KubeApi,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  /** @returns `undefined` if there is none. */
  read(name: string): Promise<CustomResourceDefinition | undefined> {
    const request = this.api.get<CustomResourceDefinition>(`${DEFINITIONS}/${name}`, this.options);
    return this.explained(ifFound(request), 'read', name);
  }

  /**
   * Creates or changes a CRD by server-side apply, once more if another client deletes it at the same time, and waits until its resource is
   * served.
   *
   * @returns whether the CRD is established, or being deleted, so that it must be created again later.
   */
  async apply(definition: CustomResourceDefinition, force: boolean): Promise<DefinitionState> {
    const { name } = definition.metadata;
    const query = `fieldManager=${FIELD_MANAGER}${force ? '&force=true' : ''}`;
    for (;;) {
      await this.explained(
        this.api.patch(`${DEFINITIONS}/${name}?${query}`, 'apply', definition, this.options),
        'apply',
        name,
      );
      const state = await this.settled(name);
      if (state !== 'gone') return state;
    }
  }

  /**
   * Waits until the API server serves the resource, or the CRD is being deleted or has gone.
   *
   * @throws CustomResourceError if the names of the CRD are not accepted, or it is not established in time.
   */
  async settled(name: string): Promise<DefinitionState | 'gone'> {
    const deadline = this.clock.monotonic() + PATIENCE * 1000;
    for (;;) {
      const definition = await this.read(name);
      if (!definition) return 'gone';
      if (definition.metadata.deletionTimestamp) return 'terminating';
      const conditions = conditionsOf(definition);
      const isTrue = (type: string): boolean => conditions.some((each) => each.type === type && each.status === 'True');
      if (isTrue('Established')) return 'established';
      const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
      if (refused) throw new CustomResourceError(`The names of the CRD ${name} are not accepted: ${refused.message}`);
      if (this.clock.monotonic() > deadline) {
        throw new CustomResourceError(`The CRD ${name} is not established after ${PATIENCE} seconds.`);
      }
      await sleep(this.clock, POLLING, this.signal);
      this.signal.throwIfAborted();
    }
  }

  /** Waits until a CRD that is being deleted has gone, without a limit, as objects with finalizers keep it. */
  async gone(name: string): Promise<void> {
    for (;;) {
      const definition = await this.read(name);
      if (!definition?.metadata.deletionTimestamp) return;
      await sleep(this.clock, TERMINATION_POLLING, this.signal);
      this.signal.throwIfAborted();
    }
  }

  /** Writes the stored versions into the CRD's status, after all objects were rewritten. */
  async setStoredVersions(name: string, storedVersions: readonly string[]): Promise<void> {
    const patch = this.api.patch(
      `${DEFINITIONS}/${name}/status`,
      'merge',
      { status: { storedVersions } },
      this.options,
    );
    await this.explained(patch, 'patch the status of', name);
  }

  /** Writes all objects unchanged, which stores them in the current storage version. @returns the number of objects. */
  async rewrite({ spec: { group, names, scope } }: CustomResourceDefinition, version: string): Promise<number> {
    const root = `/apis/${group}/${version}`;
    let count = 0;
    let next: string | undefined;
    do {
      const query = `limit=500${next ? `&continue=${encodeURIComponent(next)}` : ''}`;
      const page: KubeList = await this.api.list(`${root}/${names.plural}?${query}`, this.options);
      for (const object of page.items) {
        const { name, namespace } = object.metadata;
        const place = scope === 'Namespaced' ? `/namespaces/${namespace}` : '';
        await this.touch(`${root}${place}/${names.plural}/${name}`, {
          ...object,
          apiVersion: `${group}/${version}`,
          kind: names.kind,
        });
        count += 1;
      }
      next = (page.metadata as { readonly continue?: string }).continue || undefined;
    } while (next);
    return count;
  }

  /**
   * Writes an object unchanged. A conflict means that another client has written the object, and so stored it in the current version; a
   * deleted object needs no write.
   */
  private async touch(path: string, object: KubeObject): Promise<void> {
    try {
      await ifFound(this.api.put(path, object, this.options));
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
    }
  }

  /**
   * The options of the requests. A missing permission is reported at once: retrying the request does not help, and the start of the
   * operator is retried anyway.
   */
  private get options(): ApiCallOptions {
    return { signal: this.signal, retries: 'transient' };
  }

  private async explained<T>(request: Promise<T>, action: string, name: string): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (error instanceof ApiForbiddenError) {
        const advice =
          'Give it the rights get, create, and patch on customresourcedefinitions of apiextensions.k8s.io (get for verify), or apply ' +
          "the CRD by other means and set crds: 'ignore'.";
        throw new CustomResourceError(`The operator may not ${action} the CRD ${name}: ${errorText(error)} ${advice}`);
      }
      if (error instanceof ApiConflictError) {
        const advice = 'Leave the fields to one of them, or take them over with crds: { force: true }.';
        throw new CustomResourceError(`Another client has applied the CRD ${name}, too: ${errorText(error)} ${advice}`);
      }
      throw error;
    }
  }
}

interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

function conditionsOf(definition: CustomResourceDefinition | undefined): readonly DefinitionCondition[] {
  return ((definition?.status ?? {}) as { readonly conditions?: readonly DefinitionCondition[] }).conditions ?? [];
}
