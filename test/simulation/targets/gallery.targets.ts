import type { SimulatedUser } from 'nestjs-kopf-simulation';
import { AppModule } from '../../../apps/gallery/src/app.module.js';
import { GALLERY } from '../../../apps/gallery/src/gallery.js';
import type { SimulationTarget } from './simulation.target.js';

/** Places that differ with what an operator has seen, because its exhibit is about that. */
const IGNORED: Readonly<Record<string, readonly RegExp[]>> = {
  // Memos are lost with the process, which is the point of the exhibit.
  memos: [/ \.status\.changes$/],
  // Items have a result in the place of whatever they were made by: the creation, or a change of the items.
  'sub-handlers': [/ \.status\.make/],
  // How long an object has been idle depends on the time that a run takes.
  timers: [/ \.metadata\.labels\.archived$/],
};

function example(name: string) {
  return {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name, namespace: 'default', labels: { team: 'blue', checked: 'yes' }, annotations: { size: '20' } },
    spec: {
      items: ['hard-one', 'two'],
      settings: { one: '1', two: '2' },
      host: `${name}.example.com`,
      size: 1,
      target: 2,
      version: 2,
      state: 'open',
      owner: 'Ann',
    },
  };
}

/** Creates, changes, and deletes two objects, with all fields that exhibits look at. */
async function useExamples(kube: SimulatedUser): Promise<void> {
  const [one, other] = [example('a'), example('b')];
  await kube.apply(one);
  await kube.settled();
  await kube.apply(other);
  await kube.patch(other, { spec: { settings: { two: '4' } } });
  await kube.patch(one, { spec: { settings: { one: null, two: '3' }, state: 'closed', owner: 'Bob' } });
  await kube.settled();
  await kube.patch(other, { spec: { items: ['two', 'three'], target: 1 } });
  await kube.delete(one);
  await kube.settled();
}

/** The operators of the gallery, each with its feature. */
export const GALLERY_TARGETS: readonly SimulationTarget[] = Object.entries(GALLERY).map(([name, exhibit]) => ({
  name: `gallery-${name}`,
  module: AppModule.register(exhibit),
  options: {
    world: { manifests: 'k8s/gallery/crd.yaml' },
    workload: useExamples,
    ignore: IGNORED[name],
  },
}));
