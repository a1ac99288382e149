import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator, KubeClient } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { AppModule } from '../src/app.module.js';
import { Demo } from '../src/demo.js';
import { readManifest } from '../src/manifests.js';

const CLAIMS = { group: 'kopf.dev', plural: 'ephemeralvolumeclaims' };
const VOLUME_CLAIMS = { group: '', plural: 'persistentvolumeclaims' };
const PODS = { group: '', plural: 'pods' };

/** Starts the operator with an API server in this process, both on virtual time. */
async function start() {
  const clock = new VirtualClock();
  const kube = await EmbeddedKube.start({ port: false, pods: true, clock, random: new SeededRandom(1) });
  const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
  await kube.client.create(definitions, undefined, readManifest('crd'));
  const credentials = { server: kube.url, transport: kube.transport() };
  const module = await Test.createTestingModule({
    imports: [AppModule.register({ credentials, clock, random: new SeededRandom(2) })],
  })
    .setLogger(false as never)
    .compile();
  await module.init();
  await clock.runUntil(module.get(KopfOperator).ready());
  const stop = async (): Promise<void> => {
    await clock.runUntil(module.close());
    await clock.runUntil(kube.stop());
  };
  return { clock, kube, client: module.get(KubeClient), stop };
}

type Cluster = Awaited<ReturnType<typeof start>>;

describe('the operator of ephemeral volume claims', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await start();
  });

  afterEach(() => cluster.stop());

  async function createClaim(spec: object): Promise<void> {
    const metadata = { name: 'claim', namespace: 'default' };
    const body = { apiVersion: 'kopf.dev/v1', kind: 'EphemeralVolumeClaim', metadata, spec };
    await cluster.kube.client.create(CLAIMS, 'default', body);
  }

  const hasClaim = (): boolean => cluster.kube.client.get(CLAIMS, 'default', 'claim') !== undefined;
  const hasVolume = (): boolean => cluster.kube.client.get(VOLUME_CLAIMS, 'default', 'claim') !== undefined;

  it('should go through the whole tutorial', async () => {
    const { client, clock } = cluster;
    const steps: string[] = [];
    const note = (line: string): void => void steps.push(line.split(':')[0]);
    await clock.runUntil(new Demo({ client, clock, report: note, announce: note }).run());
    const announced = 'a claim without a size comes next';
    expect(steps).toEqual(['created', announced, 'refused', 'resized', 'relabelled', 'used', 'finished', 'deleted']);
  });

  it('should give an unused volume back after an hour, not sooner', async () => {
    await createClaim({ size: '1Gi', podSelector: { matchLabels: { app: 'a' } }, waitAtMost: 3600 });
    await cluster.clock.advance(3_590_000);
    expect([hasClaim(), hasVolume()]).toEqual([true, true]);
    await cluster.clock.advance(20_000);
    expect([hasClaim(), hasVolume()]).toEqual([false, false]);
  });

  it('should keep the volume of finished pods for the safe time', async () => {
    await createClaim({ size: '1Gi', podSelector: { matchLabels: { app: 'a' } }, waitAtLeast: 60 });
    await cluster.kube.client.create(PODS, 'default', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod', labels: { app: 'a' }, annotations: { 'embedded-kube/run-seconds': '1' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
    });
    await cluster.clock.advance(50_000);
    expect(hasClaim()).toBe(true);
    await cluster.clock.advance(15_000);
    expect(hasClaim()).toBe(false);
  });

  it('should keep a volume without a pod selector', async () => {
    await createClaim({ size: '1Gi' });
    await cluster.clock.advance(86_400_000);
    expect([hasClaim(), hasVolume()]).toEqual([true, true]);
  });

  it('should create the volume when the missing size comes', async () => {
    await createClaim({});
    await cluster.clock.advance(5000);
    expect(hasVolume()).toBe(false);
    const claim = { namespace: 'default' };
    await cluster.clock.runUntil(cluster.client.patch('evc', 'claim', { spec: { size: '3Gi' } }, claim));
    await cluster.clock.advance(5000);
    expect(hasVolume()).toBe(true);
  });

  it("should not touch somebody else's volume claim of the same name", async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '9Gi' } } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'claim' }, spec };
    await cluster.kube.client.create(VOLUME_CLAIMS, 'default', volume);
    await createClaim({ size: '1Gi' });
    await cluster.clock.advance(5000);
    const found = cluster.kube.client.get(VOLUME_CLAIMS, 'default', 'claim');
    expect(found?.metadata.ownerReferences).toBeUndefined();
    expect(found?.spec).toMatchObject(spec);
  });
});
