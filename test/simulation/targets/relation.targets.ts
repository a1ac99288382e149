import { Inject, Injectable, Module } from '@nestjs/common';
import {
  adopt,
  KopfModule,
  KubeClient,
  OnChild,
  OnCreate,
  OnDelete,
  OnReference,
  OnUpdate,
  References,
  TemporaryError,
  type ChangeContext,
  type ChildContext,
  type KubeObject,
  type ReferenceContext,
} from 'nestjs-kopf';
import type { SimulatedState, SimulatedUser } from 'nestjs-kopf-simulation';
import type { SimulationTarget } from './simulation.target.js';

const EXAMPLES = 'kopfexamples.kopf.dev';

interface RelatedSpec {
  /** The number of config maps that the object is to have. */
  readonly parts: number;
  /** The name of a config map that others make. */
  readonly config?: string;
}

interface RelatedStatus {
  readonly parts?: string;
  readonly config?: string;
}

type Example = KubeObject<RelatedSpec, RelatedStatus>;

/** Makes the parts of each object, marks them, and notes which there are. */
@Injectable()
class PartsOperator {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  @OnCreate(EXAMPLES)
  @OnUpdate(EXAMPLES, { field: 'spec.parts' })
  async keep({ body, spec }: ChangeContext<RelatedSpec>) {
    const wanted = Array.from({ length: spec.parts }, (_, index): KubeObject => {
      const part = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${body.metadata.name}-${index + 1}` } };
      return adopt({ ...part, data: { part: String(index + 1) } } as KubeObject);
    });
    await this.client.applySet(body, wanted, { fieldManager: 'parts' });
  }

  /** Keeps the object until no part is made for it any more, so that a recreated object does not lose its parts to it. */
  @OnDelete(EXAMPLES)
  release() {}

  /** It fails once for a number of parts that is odd. */
  @OnChild(EXAMPLES, 'configmaps')
  follow({ children, patch, retry }: ChildContext<RelatedSpec>) {
    if (children.length % 2 === 1 && retry === 0) throw new TemporaryError('It is too early.', { delay: 2 });
    patch.status.parts = children
      .map(({ name }) => name)
      .sort()
      .join();
  }

  @OnCreate('configmaps', { ownedBy: EXAMPLES })
  mark({ parent, patch }: ChangeContext) {
    patch.metadata.labels.marked = parent?.metadata.name ?? null;
  }
}

/** Records the label of the config map that an object refers to. */
@Injectable()
@References('spec.config', 'configmaps')
class ConfigOperator {
  @OnReference(EXAMPLES, { condition: 'ReferencesResolved' })
  note({ referents, missing, patch }: ReferenceContext) {
    patch.status.config = missing.length > 0 ? 'missing' : (referents[0]?.labels.value ?? null);
  }
}

@Module({ imports: [KopfModule.forRoot({})], providers: [PartsOperator, ConfigOperator] })
class RelationsModule {}

/** The names of the config maps that an object owns. */
function partsOf({ list }: SimulatedState, { metadata }: Example): string {
  const own = list('ConfigMap').filter((map) => map.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
  const names = own.map((map) => map.metadata.name);
  return names.sort().join();
}

function hasItsParts(state: SimulatedState) {
  for (const object of state.list<Example>('KopfExample')) {
    const wanted = Array.from({ length: object.spec!.parts }, (_, index) => `${object.metadata.name}-${index + 1}`);
    const found = partsOf(state, object);
    if (found !== wanted.join()) return `${object.metadata.name} has ${found} instead of ${wanted.join()}`;
  }
  return true;
}

function notesItsParts(state: SimulatedState) {
  for (const object of state.list<Example>('KopfExample')) {
    const found = partsOf(state, object);
    const { status, metadata } = object;
    if (status?.parts !== found) return `${metadata.name} notes ${status?.parts} instead of ${found}`;
  }
  return true;
}

function hasMarkedParts({ list }: SimulatedState) {
  const unmarked = list('ConfigMap').filter(({ metadata }) => {
    const owner = metadata.ownerReferences?.[0]?.name;
    return owner !== undefined && metadata.labels?.marked !== owner;
  });
  return unmarked.length === 0 || unmarked.map(({ metadata }) => metadata.name).join();
}

function notesItsConfig({ list }: SimulatedState) {
  const maps = list('ConfigMap');
  for (const { metadata, spec, status } of list<Example>('KopfExample')) {
    const config = maps.find((map) => map.metadata.name === spec!.config);
    const wanted = spec!.config && (config ? config.metadata.labels?.value : 'missing');
    if (status?.config !== wanted) return `${metadata.name} notes ${status?.config} instead of ${wanted}`;
  }
  return true;
}

const example = (name: string, spec: RelatedSpec) => ({
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name, namespace: 'default' },
  spec,
});

const config = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { value } },
});

/** Adds and removes parts of objects, which refer to config maps that are created, changed, and deleted. */
async function useRelations(kube: SimulatedUser): Promise<void> {
  const [one, other] = [example('a', { parts: 2, config: 'x' }), example('b', { parts: 1 })];
  await kube.apply(one);
  await kube.apply(config('x', 'early'));
  await kube.settled();
  await kube.patch(one, { spec: { parts: 1 } });
  await kube.apply(other);
  await kube.patch(config('x', ''), { metadata: { labels: { value: 'late' } } });
  await kube.settled();
  await kube.patch(other, { spec: { parts: 0, config: 'y' } });
  await kube.delete(config('x', ''));
  await kube.apply(config('y', 'new'));
  await kube.delete(one);
}

/** An operator that follows the children of objects, and those to which objects refer. */
export const RELATION_TARGETS: readonly SimulationTarget[] = [
  {
    name: 'relations',
    module: RelationsModule,
    options: {
      world: { manifests: 'k8s/gallery/crd.yaml' },
      workload: useRelations,
      eventually: [hasItsParts, notesItsParts, hasMarkedParts, notesItsConfig],
      // The status is no subresource here: each change of it makes a generation.
      ignore: [/\.observedGeneration$/],
    },
  },
];
