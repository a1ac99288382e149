import type { KubeObject } from 'nestjs-kopf';
import { type ClusterUser, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';

/** The resource whose objects have numbers. */
export const NUMBERS = 'numbers.numbers.kopf.dev';
export const OBJECTS = '/apis/numbers.kopf.dev/v1/namespaces/default/numbers';
export const JSON_TYPE = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NUMBERS },
  spec: {
    group: 'numbers.kopf.dev',
    scope: 'Namespaced',
    names: { kind: 'Number', plural: 'numbers', singular: 'number' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Id', type: 'integer', jsonPath: '.spec.int64' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  int64: { type: 'integer', format: 'int64' },
                  integer: { type: 'integer' },
                  number: { type: 'number' },
                  either: { 'x-kubernetes-int-or-string': true },
                  given: { type: 'integer', format: 'int64', default: 9007199254740993n },
                  even: { type: 'integer', format: 'int64', multipleOf: 2, minimum: -9007199254740994n },
                  set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** A cluster with the resource, and the requests of tests to it, in texts. */
export class NumbersCluster {
  private constructor(private readonly cluster: TestCluster) {}

  static async start(startCluster: () => Promise<TestCluster>): Promise<NumbersCluster> {
    const numbers = new NumbersCluster(await startCluster());
    await numbers.user.create(DEFINITIONS, DEFINITION);
    await eventually('the resource is served', () => numbers.user.list(OBJECTS).then(Boolean, () => false));
    return numbers;
  }

  get user(): ClusterUser {
    return this.cluster.user;
  }

  get credentials(): TestCluster['credentials'] {
    return this.cluster.credentials;
  }

  send(method: string, path: string, body: string, type = JSON_TYPE): Promise<{ status: number; text: string }> {
    return this.user.exchange(method, path, body, type);
  }

  create(name: string, spec: string): Promise<{ status: number; text: string }> {
    const head = `"apiVersion":"numbers.kopf.dev/v1","kind":"Number","metadata":{"name":"${name}"}`;
    return this.send('POST', OBJECTS, `{${head},"spec":${spec}}`);
  }

  get(name: string): Promise<KubeObject | undefined> {
    return this.user.get(`${OBJECTS}/${name}`);
  }

  /** The spec as it is on the wire, without what is there by default. */
  async specOf(name: string): Promise<string> {
    const { text } = await this.send('GET', `${OBJECTS}/${name}`, '');
    return wireSpec(text);
  }

  async clear(): Promise<void> {
    for (const { metadata } of await this.user.list(OBJECTS)) await this.user.delete(`${OBJECTS}/${metadata.name}`);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }
}

/** The spec as it is on the wire, without what is there by default. */
export function wireSpec(text: string): string {
  const spec = /"spec":(\{(?:[^{}]|\{[^{}]*\})*\})(?:,"status"|\})/.exec(text)?.[1] ?? text;
  return spec.replace(/"given":9007199254740993,?/, '').replace(',}', '}');
}

export function resourceVersion(text: string): string | undefined {
  return /"resourceVersion":"(\d+)"/.exec(text)?.[1];
}
