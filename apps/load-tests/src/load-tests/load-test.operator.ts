import { Inject, Injectable } from '@nestjs/common';
import {
  ApiNotFoundError,
  Index,
  KubeClient,
  Needs,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnUpdate,
  PRESENT,
  type ChangeContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import {
  conclude,
  LOAD_TESTS,
  LoadTestResource,
  type LoadTest,
  type LoadTestSpec,
  type LoadTestStatus,
} from './load-test.js';
import { LoadPods, RUN_LABEL, TEST_LABEL } from './load.pods.js';

type Context = ChangeContext<LoadTestSpec, LoadTestStatus>;

/**
 * Runs load tests: pods make requests, and what becomes of them is noted in the status of the test.
 *
 * The states are `pending`, `executing`, and `failed` or `finished`. A change of the specification deletes the pods and begins anew.
 */
@Injectable()
@Needs({ events: [] })
export class LoadTestOperator {
  constructor(
    @Inject(LoadPods) private readonly pods: LoadPods,
    @Inject(KubeClient) private readonly client: KubeClient,
  ) {}

  /** The present run of each load test. */
  @Index(LoadTestResource)
  runs({ namespace, name, meta }: IndexContext) {
    return new Map([[[namespace, name], runOf(meta)]]);
  }

  // Handlers are called in this order, one in each cycle, so the state shows between them.
  @OnCreate(LoadTestResource)
  @OnUpdate(LoadTestResource, { field: 'spec' })
  async prepare({ name, namespace, meta, status, patch }: Context) {
    const run = runOf(meta);
    await this.pods.delete({ name, namespace }, run);
    // If the API server has rejected what this handler wants, the next one was called before this one is called again.
    if (await this.pods.exist({ name, namespace }, run)) {
      const former = Object.keys(status.children ?? {}).filter((pod) => !pod.startsWith(`${name}-${run}-`));
      for (const pod of former) (patch.status.children ??= {})[pod] = null as never;
    } else Object.assign(patch.status, { state: 'pending', children: null });
  }

  @OnCreate(LoadTestResource)
  @OnUpdate(LoadTestResource, { field: 'spec' })
  async execute({ body, meta, patch, logger }: Context) {
    const names = await this.pods.start(body as LoadTest, runOf(meta));
    patch.status.state = 'executing';
    logger.log(`Started ${names.length} pods.`);
  }

  /** Notes the phase of a pod in its load test, whose handlers go on from there. */
  @Needs({ [`${LOAD_TESTS}/status`]: ['patch'] })
  @OnEvent('pods.v1', { labels: { [TEST_LABEL]: PRESENT } })
  async note({ type, name, namespace, labels, status, indices }: EventContext<any, { phase?: string }>) {
    const test = labels[TEST_LABEL];
    const [run] = indices.runs.get([namespace, test]) ?? [];
    const phase = type === 'DELETED' ? 'Lost' : status.phase;
    // Pods of earlier runs do not matter any more.
    if (phase === undefined || run !== labels[RUN_LABEL]) return;
    try {
      const patch = { status: { children: { [name]: phase } } };
      await this.client.patch(LOAD_TESTS, test, patch, { namespace, subresource: 'status' });
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
    }
  }

  @OnField(LoadTestResource, { field: 'status.children' })
  conclude({ name, spec, meta, status, patch, logger }: Context) {
    if (status.state !== 'executing') return;
    const ours = Object.entries(status.children ?? {}).filter(([pod]) => pod.startsWith(`${name}-${runOf(meta)}-`));
    const state = conclude(
      ours.map(([, phase]) => phase),
      spec.replicas ?? 1,
    );
    if (state === undefined) return;
    patch.status.state = state;
    logger.log(`The load test has ${state}.`);
  }

  @OnDelete(LoadTestResource)
  async delete({ name, namespace }: Context) {
    await this.pods.delete({ name, namespace });
  }
}

function runOf({ generation = 1 }: { generation?: number }): string {
  return String(generation);
}
