import type { SimulationOptions, SimulatedUser } from 'nestjs-kopf-simulation';
import { AppModule } from '../../../apps/ephemeral-volume-claims/src/app.module.js';

/** The claim that the workload is about. */
const claim = {
  apiVersion: 'kopf.dev/v1',
  kind: 'EphemeralVolumeClaim',
  metadata: { name: 'a', labels: { team: 'blue' } },
  spec: { size: '1Gi' },
};

/** The operator of the tutorial. */
export const claimModule = AppModule.register();

/** A claim is created, changed, and deleted. */
export const claimOptions = {
  world: { manifests: 'k8s/ephemeral-volume-claims/crd.yaml' },
  async workload(kube: SimulatedUser) {
    await kube.apply(claim);
    await kube.settled();
    await kube.patch(claim, { metadata: { labels: { team: 'red' } } });
    await kube.settled();
    await kube.delete(claim);
  },
} satisfies SimulationOptions;
