import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator, type KubeObject } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { readManifests } from '../../../test/support/clusters/manifests.js';
import { AppModule } from '../src/app.module.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
const DEPLOYMENTS = { group: 'example.org', plural: 'simpledeployments' };
const TESTS = { group: 'example.org', plural: 'loadtests' };
const PODS = { group: '', plural: 'pods' };

const [deployment, loadTest] = readManifests('load-tests/samples.yaml');

/** Starts the operator with an API server in this process, both on virtual time. */
async function start() {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const kube = await EmbeddedKube.start({ port: false, pods: true, clock, random });
  for (const manifest of readManifests('load-tests/crds.yaml')) {
    await kube.client.create(DEFINITIONS, undefined, manifest);
  }
  const credentials = { server: kube.url, transport: kube.transport() };
  const module = await Test.createTestingModule({
    imports: [AppModule.register({ credentials, clock, random: new SeededRandom(2) })],
  })
    .setLogger(false as never)
    .compile();
  await module.init();
  await clock.runUntil(module.get(KopfOperator).ready());
  onTestFinished(async () => {
    await clock.runUntil(module.close());
    await clock.runUntil(kube.stop());
  });
  return { clock, kube };
}

describe('The operator of load tests', () => {
  let clock: VirtualClock;
  let kube: EmbeddedKube;
  let states: string[];

  beforeEach(async () => {
    ({ clock, kube } = await start());
    states = [];
    kube.client.watch(TESTS, ({ object }) => {
      const state = (object as KubeObject).status?.state as string | undefined;
      if (state !== undefined && state !== states.at(-1)) states.push(state);
    });
  });

  const pods = (): readonly KubeObject[] => kube.client.list(PODS, 'default') as KubeObject[];
  const names = (): string[] =>
    pods()
      .map(({ metadata }) => metadata.name!)
      .sort();
  const test = (): KubeObject | undefined => kube.client.get(TESTS, 'default', 'example-02') as KubeObject;

  async function end(pod: string, phase: 'Succeeded' | 'Failed'): Promise<void> {
    await kube.client.patch(PODS, 'default', pod, { status: { phase } }, 'status');
    await clock.advance(1000);
  }

  async function run(replicas = 3): Promise<void> {
    await kube.client.create(TESTS, 'default', { ...loadTest, spec: { ...loadTest.spec, replicas } });
    await clock.advance(2000);
  }

  it('should start one pod for a simple deployment, which goes with it', async () => {
    await kube.client.create(DEPLOYMENTS, 'default', deployment);
    await clock.advance(2000);
    expect(names()).toEqual(['example-01']);
    const [pod] = pods();
    expect(pod.spec.containers[0].args[0]).toContain('sleep 120');
    expect(pod.metadata.labels).toMatchObject({ app: 'simple-app' });
    const made = kube.client.get(DEPLOYMENTS, 'default', 'example-01');
    expect(made?.status).toEqual({ create: { children: [pod.metadata.uid] } });
    await kube.client.delete(DEPLOYMENTS, 'default', 'example-01');
    await clock.advance(5000);
    expect(names()).toEqual([]);
  });

  it('should run the pods of a load test, and finish when all of them have succeeded', async () => {
    await run();
    expect(names()).toEqual(['example-02-1-0', 'example-02-1-1', 'example-02-1-2']);
    expect(states).toEqual(['pending', 'executing']);
    for (const name of names()) await end(name, 'Succeeded');
    expect(states).toEqual(['pending', 'executing', 'finished']);
    expect(Object.values(test()?.status.children)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
  });

  it('should fail as soon as one pod has failed, and stay so', async () => {
    await run();
    await end('example-02-1-1', 'Failed');
    await end('example-02-1-0', 'Succeeded');
    expect(states).toEqual(['pending', 'executing', 'failed']);
  });

  it('should fail if somebody deletes a pod', async () => {
    await run();
    await kube.client.delete(PODS, 'default', 'example-02-1-2');
    await clock.advance(5000);
    expect(states).toEqual(['pending', 'executing', 'failed']);
    expect(test()?.status.children).toMatchObject({ 'example-02-1-2': 'Lost' });
  });

  it('should delete the pods and start again when the load test is changed', async () => {
    await run();
    for (const name of names()) await end(name, 'Succeeded');
    await kube.client.patch(TESTS, 'default', 'example-02', { spec: { replicas: 2, test: { path: '/slow' } } });
    await clock.advance(5000);
    expect(names()).toEqual(['example-02-2-0', 'example-02-2-1']);
    expect(pods()[0].spec.containers[0].args.at(-1)).toBe('http://nginx/slow?[1-10]');
    expect(Object.keys(test()?.status.children)).toEqual(names());
    for (const name of names()) await end(name, 'Succeeded');
    expect(states).toEqual(['pending', 'executing', 'finished', 'pending', 'executing', 'finished']);
  });

  it('should start again when it is changed while it is executed', async () => {
    await run();
    await kube.client.patch(TESTS, 'default', 'example-02', { spec: { replicas: 1 } });
    await clock.advance(5000);
    expect(names()).toEqual(['example-02-2-0']);
    await end('example-02-2-0', 'Succeeded');
    expect(states).toEqual(['pending', 'executing', 'pending', 'executing', 'finished']);
  });

  it('should not begin anew when only labels or the status change', async () => {
    await run(1);
    await kube.client.patch(TESTS, 'default', 'example-02', { metadata: { labels: { team: 'blue' } } });
    await clock.advance(5000);
    expect(names()).toEqual(['example-02-1-0']);
    expect(states).toEqual(['pending', 'executing']);
  });

  it('should delete the pods with the load test', async () => {
    await run();
    await kube.client.delete(TESTS, 'default', 'example-02');
    await clock.advance(5000);
    expect([test(), names()]).toEqual([undefined, []]);
  });
});
