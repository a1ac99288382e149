import type { Clock, KubeClient, KubeObject } from 'nestjs-kopf';
import { Demo } from '../../../apps/ephemeral-volume-claims/src/demo.js';
import { readManifests } from '../../support/clusters/manifests.js';

/** A cluster in which an application runs, as an administrator sees it. */
export interface Scene {
  readonly client: KubeClient;
  /** The time of the cluster, real or virtual. */
  readonly clock: Clock;
  /** Aborted when the run has ended, so that nothing waits for its effects any more. */
  readonly signal: AbortSignal;
  /** A class of volumes that allows for resizing. @default the class of the cluster */
  readonly storageClassName?: string;
}

/** The events while an application runs, so that it uses all that it may; rejects if the application does not do its work. */
export type Scenario = (scene: Scene) => Promise<void>;

const namespace = 'default';
/** Milliseconds of the cluster's time until a scenario has failed. */
const PATIENCE = 60_000;

/** Waits until the check is passed. */
async function until(what: string, { clock, signal }: Scene, check: () => Promise<boolean>): Promise<void> {
  const deadline = clock.monotonic() + PATIENCE;
  // What is not there yet is no failure.
  while (!(await check().catch(() => false))) {
    signal.throwIfAborted();
    if (clock.monotonic() > deadline) throw new Error(`Waited in vain: ${what}`);
    await new Promise<void>((resolve) => void clock.setTimer(resolve, 100));
  }
}

async function untilGone(resource: string, scene: Scene): Promise<void> {
  const isEmpty = async () => (await scene.client.list(resource, { namespace })).items.length === 0;
  await until(`there are no ${resource}`, scene, isEmpty);
}

/** Creates the objects of a file in the namespace. */
async function create(file: string, scene: Scene): Promise<readonly KubeObject[]> {
  const samples = readManifests(file);
  for (const sample of samples) {
    const object = { ...sample, metadata: { ...sample.metadata, namespace } };
    // The API server needs some time to learn of new webhooks, and of their certificates.
    await until(`${sample.kind} is created`, scene, async () => Boolean(await scene.client.create(object)));
  }
  return samples;
}

/** Another volume claim has the name already, so that the operator looks whose it is. */
async function claimWhatIsTaken(scene: Scene): Promise<void> {
  const { client } = scene;
  const metadata = { name: 'demo-3', namespace };
  const resources = { requests: { storage: '1Gi' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources };
  await client.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  const claim = await client.create<KubeObject>({
    apiVersion: 'kopf.dev/v1',
    kind: 'EphemeralVolumeClaim',
    metadata,
    spec: { size: '1Gi' },
  });
  await until('the claim is refused', scene, async () => {
    const { items } = await client.list('events', {
      namespace,
      fieldSelector: `involvedObject.uid=${claim.metadata.uid}`,
    });
    return items.some(({ message }) => String(message).includes('is not ours'));
  });
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly object[];
}

/** The scenarios of the applications, by their folders in `k8s`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'ephemeral-volume-claims': async (scene) => {
    const { client, clock, storageClassName } = scene;
    await new Demo({ client, clock, storageClassName, report: () => undefined, patience: PATIENCE / 1000 }).run();
    await claimWhatIsTaken(scene);
  },
  'load-tests': async (scene) => {
    const { client } = scene;
    const options = { namespace };
    const labelSelector = 'example.org/load-test=example-02';
    // As if the operator had been interrupted when it had created the pod.
    const container = { name: 'simple', image: 'busybox' };
    const metadata = { name: 'example-01', namespace };
    await client.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } });
    await create('load-tests/samples.yaml', scene);
    const stateOf = async () => (await client.get('loadtests', 'example-02', options)).status as { state?: string };
    await until('the simple deployment has found its pod', scene, async () => {
      const { status } = await client.get('simpledeployments', 'example-01', options);
      return ((status as { create?: object }).create ?? undefined) !== undefined;
    });
    await until('the load test is executed', scene, async () => (await stateOf()).state === 'executing');
    const [pod] = (await client.list('pods', { namespace, labelSelector })).items;
    const failed = { status: { phase: 'Failed' } };
    await client.patch('pods', pod.metadata.name!, failed, { namespace, subresource: 'status' });
    await until('the load test has failed', scene, async () => (await stateOf()).state === 'failed');
    await client.delete('loadtests', 'example-02', options);
    await untilGone('loadtests', scene);
  },
  'inventory-api': async (scene) => {
    const { client } = scene;
    const configuration = () => client.get<Configuration>('validatingwebhookconfigurations', 'inventory.example.com');
    await until('the webhooks are there', scene, async () => (await configuration()).webhooks!.length > 0);
    const [sample] = await create('inventory-api/sample.yaml', scene);
    const statusOf = async () => (await client.get('inventoryitems', sample.metadata.name!, { namespace })).status;
    await until(
      'the item is stored',
      scene,
      async () => ((await statusOf()) as { inStock?: boolean }).inStock === true,
    );
    const versionOf = async () =>
      (await client.get('secrets', 'inventory-api-webhooks', { namespace })).metadata.resourceVersion;
    const first = await versionOf();
    await until('the certificate is replaced', scene, async () => (await versionOf()) !== first);
    await client.delete('inventoryitems', sample.metadata.name!, { namespace });
    await untilGone('inventoryitems', scene);
  },
};
