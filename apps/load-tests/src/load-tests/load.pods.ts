import { Inject, Injectable } from '@nestjs/common';
import { adopt, ApiConflictError, ApiNotFoundError, KubeClient, Needs, type KubeObject } from 'nestjs-kopf';
import type { LoadTest } from './load-test.js';

const PODS = 'pods.v1';

/** The labels of the pods: the load test, and its run. Each change of the specification begins a new run. */
export const TEST_LABEL = 'example.org/load-test';
export const RUN_LABEL = 'example.org/run';

/** Identifies a load test. */
interface TestReference {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Makes and deletes the pods of load tests. */
@Injectable()
@Needs({ [PODS]: ['list', 'create', 'delete'] })
export class LoadPods {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  /** Starts the pods of a run; those that are there already stay. @returns their names. */
  async start(test: LoadTest, run: string): Promise<readonly string[]> {
    const pods = Array.from({ length: test.spec.replicas ?? 1 }, (_, index) => createPod(test, run, index));
    await Promise.all(pods.map((pod) => this.create(adopt(pod, { owner: test }))));
    return pods.map(({ metadata }) => metadata.name!);
  }

  /** Whether any pod of a run is there. */
  async exist({ name, namespace }: TestReference, run: string): Promise<boolean> {
    const labelSelector = `${TEST_LABEL}=${name},${RUN_LABEL}=${run}`;
    const { items } = await this.client.list(PODS, { namespace, labelSelector, limit: 1 });
    return items.length > 0;
  }

  /** Deletes the pods of all runs, or of all but one. */
  async delete({ name, namespace }: TestReference, exceptRun?: string): Promise<void> {
    const others = exceptRun === undefined ? '' : `,${RUN_LABEL}!=${exceptRun}`;
    const labelSelector = `${TEST_LABEL}=${name}${others}`;
    for await (const pod of this.client.listAll(PODS, { namespace, labelSelector })) await this.deleteOne(pod);
  }

  private async create(pod: KubeObject): Promise<void> {
    try {
      await this.client.create(pod);
    } catch (error) {
      // An operator that was interrupted goes on where it was.
      if (!(error instanceof ApiConflictError)) throw error;
    }
  }

  private async deleteOne({ metadata: { name = '', namespace } }: KubeObject): Promise<void> {
    try {
      await this.client.delete(PODS, name, { namespace });
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
    }
  }
}

function createPod({ metadata, spec }: LoadTest, run: string, index: number): KubeObject {
  const { method = 'GET', serviceName, path = '/', repeat = 1 } = spec.test;
  const args = ['--fail', '--silent', '--request', method, `http://${serviceName}${path}?[1-${repeat}]`];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name}-${run}-${index}`,
      namespace: metadata.namespace,
      labels: { [TEST_LABEL]: metadata.name!, [RUN_LABEL]: run },
    },
    spec: { restartPolicy: 'Never', containers: [{ name: 'load', image: 'curlimages/curl', args }] },
  };
}
