import { Inject, Injectable } from '@nestjs/common';
import { ApiNotFoundError, KubeClient, type KubeObject } from 'nestjs-kopf';
import type { SimulatedState, SimulatedUser } from 'nestjs-kopf-simulation';

const FIELD_MANAGER = 'regressions';
const NAMESPACE = 'default';

/** The resource of the objects that the operators of the regression cases manage. */
export const DATABASES = 'databases.regressions.dev';

/** The wishes of a user for a database; no case needs all of them. */
export interface DatabaseSpec {
  readonly image?: string;
  readonly replicas?: number;
  /** The size of each volume in GiB. */
  readonly storage?: number;
  /** The size of its disk as a quantity: `2Gi`. */
  readonly disk?: string;
  readonly config?: string;
  /** Labels of the service. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly plugins?: readonly string[];
  readonly proxy?: { readonly replicas: number };
  readonly repair?: boolean;
}

const DATABASE_SCHEMA = {
  type: 'object',
  properties: {
    image: { type: 'string' },
    replicas: { type: 'integer', minimum: 0, maximum: 5 },
    storage: { type: 'integer', minimum: 1, maximum: 100 },
    disk: { type: 'string' },
    config: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    plugins: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    proxy: { type: 'object', required: ['replicas'], properties: { replicas: { type: 'integer', minimum: 0 } } },
    repair: { type: 'boolean' },
  },
};

export const DATABASE_CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: DATABASES },
  spec: {
    group: 'regressions.dev',
    scope: 'Namespaced',
    names: { plural: 'databases', singular: 'database', kind: 'Database' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: DATABASE_SCHEMA,
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** Makes the database 'a'. */
export function database(spec: DatabaseSpec = {}, meta: object = {}) {
  return {
    apiVersion: 'regressions.dev/v1',
    kind: 'Database',
    metadata: { name: 'a', namespace: NAMESPACE, ...meta },
    spec,
  };
}

/** Makes a part of a database, such as a node or a volume: a ConfigMap that stands for an object of that role. */
export function part(role: string, name: string, data: Record<string, string> = {}, meta: object = {}) {
  const { labels, ...rest } = meta as { readonly labels?: Record<string, string> };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${role}-${name}`, namespace: NAMESPACE, labels: { role, of: name, ...labels }, ...rest },
    data,
  };
}

/** Selects the parts with a role. */
export function parts(role: string) {
  return { labels: { role } };
}

/** Reads and writes the parts of databases. */
@Injectable()
export class Parts {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  /** Gets the data of a part from the API server. */
  async find(role: string, name: string): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      const { data } = await this.kube.get('configmaps.v1', `${role}-${name}`, { namespace: NAMESPACE });
      return (data ?? {}) as Record<string, string>;
    } catch (error) {
      if (error instanceof ApiNotFoundError) return undefined;
      throw error;
    }
  }

  /** Counts the parts with a role. */
  async count(role: string): Promise<number> {
    const { items } = await this.kube.list('configmaps.v1', { namespace: NAMESPACE, labelSelector: `role=${role}` });
    return items.length;
  }

  /** Counts the parts with a role that a database owns. */
  async countOf(uid: string, role: string): Promise<number> {
    const { items } = await this.kube.list('configmaps.v1', { namespace: NAMESPACE, labelSelector: `role=${role}` });
    return items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)).length;
  }

  /** Creates the part, or changes it to have this data and no other. */
  async set(role: string, name: string, data: Record<string, string>, labels = {}): Promise<void> {
    await this.kube.apply(part(role, name, data, { labels }) as KubeObject, {
      fieldManager: FIELD_MANAGER,
      force: true,
    });
  }

  /** Merges data and labels into a part. */
  async merge(role: string, name: string, patch: { data?: object; metadata?: object }): Promise<void> {
    await this.kube.patch('configmaps.v1', `${role}-${name}`, patch, { namespace: NAMESPACE });
  }

  /** Deletes the part, if there is one. */
  async remove(role: string, name: string): Promise<void> {
    try {
      await this.kube.delete('configmaps.v1', `${role}-${name}`, { namespace: NAMESPACE });
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
    }
  }

  /** Gets the database from the API server. */
  database(name: string): Promise<KubeObject<DatabaseSpec>> {
    return this.kube.get(DATABASES, name, { namespace: NAMESPACE });
  }
}

type Step = (kube: SimulatedUser) => Promise<unknown>;

/** Makes a workload of steps, after each of which the operator comes to rest. */
export function inSteps(...steps: readonly Step[]): Step {
  return async (kube) => {
    for (const step of steps) {
      await step(kube);
      await kube.settled();
    }
  };
}

/** Makes one step of several, so that the operator does not come to rest between them. */
export function atOnce(...steps: readonly Step[]): Step {
  return async (kube) => {
    for (const step of steps) await step(kube);
  };
}

export const apply =
  (object: ReturnType<typeof database> | ReturnType<typeof part>): Step =>
  (kube) =>
    kube.apply(object as never);

/** Changes the wishes for the database 'a'; `null` takes one back. */
export const change =
  (spec: { readonly [Key in keyof DatabaseSpec]: DatabaseSpec[Key] | null | object }): Step =>
  (kube) =>
    kube.patch(database(), { spec });

/** Reads the data of a part in the end of a run. */
export function dataOf({ find }: SimulatedState, role: string, name: string): Record<string, string> | undefined {
  return (find(part(role, name)) as { data?: Record<string, string> } | undefined)?.data;
}

/** Reads the wishes for the database 'a' in the end of a run. */
export function specOf({ find }: SimulatedState): DatabaseSpec {
  return find<KubeObject<DatabaseSpec>>(database())?.spec ?? {};
}
