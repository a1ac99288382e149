import type { SimulatedUser } from 'nestjs-kopf-simulation';
import { AppModule as ClaimsModule } from '../../../apps/ephemeral-volume-claims/src/app.module.js';
import { AppModule as LoadTestsModule } from '../../../apps/load-tests/src/app.module.js';
import type { SimulationTarget } from './simulation.target.js';

const claim = {
  apiVersion: 'kopf.dev/v1',
  kind: 'EphemeralVolumeClaim',
  metadata: { name: 'a', namespace: 'default', labels: { team: 'blue' } },
  spec: { size: '1Gi' },
};

const deployment = {
  apiVersion: 'example.org/v1',
  kind: 'SimpleDeployment',
  metadata: { name: 'simple', namespace: 'default', labels: { app: 'simple' } },
  spec: { sleepytime: '120' },
};

const loadTest = {
  apiVersion: 'example.org/v1',
  kind: 'LoadTest',
  metadata: { name: 'load', namespace: 'default' },
  spec: { replicas: 2, test: { serviceName: 'nginx' } },
};

/** Brings a pod to its end, as a kubelet does; pods that there are not yet are left alone. */
async function endPod(kube: SimulatedUser, name: string): Promise<void> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } };
  if (kube.find(pod)) await kube.patch(pod, { status: { phase: 'Succeeded' } }, 'status');
}

/** The applications of this project that do something for their users: the tutorial's operator, and the load tests. */
export const APPLICATION_TARGETS: readonly SimulationTarget[] = [
  {
    name: 'ephemeral-volume-claims',
    module: ClaimsModule.register(),
    options: {
      world: { manifests: 'k8s/ephemeral-volume-claims/crd.yaml' },
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.settled();
        await kube.patch(claim, { metadata: { labels: { team: 'red' } } });
        await kube.settled();
        await kube.delete(claim);
      },
    },
  },
  {
    name: 'simple-deployments',
    module: LoadTestsModule.register(),
    options: {
      world: { manifests: 'k8s/load-tests/crds.yaml', kube: { pods: true } },
      workload: async (kube) => {
        await kube.apply(deployment);
        await kube.settled();
        await kube.patch(deployment, { metadata: { labels: { app: 'other' } } });
        await kube.settled();
        await kube.delete(deployment);
      },
    },
  },
  {
    name: 'load-tests',
    module: LoadTestsModule.register(),
    options: {
      world: { manifests: 'k8s/load-tests/crds.yaml', kube: { pods: true } },
      workload: async (kube) => {
        await kube.apply(loadTest);
        await kube.settled();
        await endPod(kube, 'load-1-0');
        await endPod(kube, 'load-1-1');
        await kube.settled();
        await kube.patch(loadTest, { spec: { replicas: 1 } });
        await kube.settled();
        await kube.delete(loadTest);
      },
      // The ends of pods do not count if they come while there is no pod yet, so the test continues.
      ignore: ['LoadTest default/load .status'],
    },
  },
];
