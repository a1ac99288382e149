import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { load } from 'js-yaml';
import { KopfModule } from 'nestjs-kopf';
import type { SimulatedUser } from 'nestjs-kopf-simulation';
import { ADMITTED, KEPT, SIZE_LIMIT } from './admitting.builder.js';
import { MixedWorkload } from './mixed.workload.js';
import { Draw } from './random.draw.js';
import { TENANTS } from './mixed.builder.js';
import { drawLogin } from './random.login.js';
import { drawOperator, type RandomKind, type RandomOperator } from './random.operator.js';
import { alwaysOf, eventuallyOf } from './random.properties.js';
import { RandomRun } from './random.run.js';
import { replicate } from './random.replicas.js';
import { drawSettings, storeElsewhere, varyFurther } from './random.settings.js';
import { tracing } from './random.tracing.js';
import { RelatedWorkload } from './related.workload.js';
import type { SimulationTarget } from './simulation.target.js';

/** The distance of the seeds of what was not drawn from the beginning. */
const FURTHER_SEED = 1_000_003;
/** The distance of the seeds of what is drawn about replicas, for the kind that always has some. */
const REPLICATION_SEED = 2_000_003;
/** The distance of the seeds of the settings that were added later. */
const SETTINGS_SEED = 3_000_003;

/** The CRD of the objects. */
const DEFINITION = 'k8s/gallery/crd.yaml';

/**
 * Places that depend on what an operator has seen: fields of handlers with filters, of resumptions and of timers, and their effects; the map of
 * progress in the status, which stays there when nothing is left in it; and the generation of a condition, as each change of a status that is no
 * subresource makes another one.
 */
const IGNORED = [
  /-if\b/,
  /^the effect /,
  /\.status\.parts-if/,
  /\.status\.kopf(\.progress)?$/,
  /\.status\.conditions.*\.observedGeneration$/,
];

/**
 * Where the values of all handlers are ones of the past: changes that come while others wait are not handled, or the object has left the
 * selector since.
 */
const OWN_STATE = [/ \.status\./, / \.metadata\.annotations\./];
/** The children that operators make of values of the past. */
const MADE_STATE = [/(-map|-secret|room-\S+|-part-\d+) /, /-part-\d+$/];

/** The name of the target that {@link randomTarget} makes: `random-42`, `random-recreating-42`. */
export function randomName(seed: number, kind: RandomKind): string {
  return kind === 'plain' ? `random-${seed}` : `random-${kind}-${seed}`;
}

/** Makes an operator of a seed, with its settings, and with what its users do. The same seed always makes the same one. */
export function randomTarget(seed: number, kind: RandomKind): SimulationTarget {
  const draw = new Draw(seed);
  const replication = kind === 'replicated' ? new Draw(seed + REPLICATION_SEED) : undefined;
  const base = replication ? replication.one<RandomKind>(['varied', 'varied', 'mixed']) : kind;
  const usual = drawSettings(draw, base);
  const drawn = base === 'varied' ? varyFurther(new Draw(seed + SETTINGS_SEED), usual) : usual;
  const settings = replication ? replicate(replication, storeElsewhere(replication, drawn, base === 'mixed')) : drawn;
  const operator = drawOperator(draw, base);
  // Drawn by itself, so that operators which are known stay what they were.
  const further = new Draw(seed + FURTHER_SEED);
  const login = base === 'mixed' && further.percent(40) ? [drawLogin(further)] : [];
  const traced = base === 'mixed' && further.percent(40) ? [tracing()] : [];
  const workload = drawWorkloadOf(operator, draw, further, base);
  @Module({
    imports: [...traced, KopfModule.forRoot(settings.kopf)],
    providers: [operator.type, RandomRun, ...login],
  })
  class RandomModule {}
  const peering = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'random' } };
  const isPeering = settings.kopf.coordination === 'peering';
  return {
    name: randomName(seed, kind),
    module: RandomModule,
    options: {
      world: {
        manifests: [...(settings.hasStatus ? [] : [DEFINITION]), ...(isPeering ? ['k8s/peering.yaml'] : [])],
        objects: [
          ...(settings.hasStatus ? [definitionWithStatus()] : []),
          ...(base === 'mixed' ? [TENANT_DEFINITION] : []),
          ...(isPeering ? [peering] : []),
        ],
      },
      workload,
      replicas: settings.replicas,
      logins: login.length > 0,
      // Handlers and workloads that are drawn need not meet.
      oracles: { idle: false },
      always: [...alwaysOf(operator, settings), ...(kind === 'admitting' ? ADMITTED : [])],
      eventually: eventuallyOf(operator, settings),
      ignore:
        settings.repeatsLateChanges && !operator.isSelecting ? IGNORED : [...IGNORED, ...OWN_STATE, ...MADE_STATE],
      override: (builder, effects) =>
        builder.overrideProvider(RandomRun).useFactory({ factory: () => new RandomRun(effects) }),
    },
  };
}

/** The CRD of the objects of the cluster. */
const TENANT_DEFINITION: TestObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: TENANTS },
  spec: {
    group: 'random.example.com',
    scope: 'Cluster',
    names: { kind: 'Tenant', plural: 'tenants', singular: 'tenant' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The CRD of the objects with a status that is a subresource. */
function definitionWithStatus(): TestObject {
  const crd = load(readFileSync(DEFINITION, 'utf8')) as TestObject & { spec: { versions: object[] } };
  crd.spec.versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
  return crd;
}

type TestObject = Parameters<SimulatedUser['apply']>[0];
type Step = (kube: SimulatedUser) => Promise<unknown>;

/** Draws what users do with a few objects. */
function drawWorkload(draw: Draw, kind: RandomKind): (kube: SimulatedUser) => Promise<void> {
  const present = new Map<string, TestObject>();
  const steps: Step[] = [];
  const names = ['a', 'b', 'c'].slice(0, 1 + draw.number(3));
  const objectOf = (name: string) => ({
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name, namespace: 'default' },
  });
  const length = 4 + draw.number(6);
  for (let index = 0; index < length; index++) {
    const name = draw.one(names);
    const object = objectOf(name);
    if (!present.has(name)) {
      const labels = draw.one<Record<string, string>>([{}, { team: 'blue' }, { guarded: 'yes' }]);
      if (kind === 'selecting' && draw.percent(60)) labels.team = 'blue';
      const spec = { size: draw.number(10), secret: 'hidden' };
      const created = { ...object, metadata: { ...object.metadata, labels }, spec };
      present.set(name, created);
      steps.push((kube) => kube.apply(created));
    } else {
      const created = present.get(name)!;
      const patch = kind === 'selecting' && draw.percent(30) ? drawSelection(draw) : drawPatch(draw);
      if (patch) steps.push((kube) => kube.patch(object, patch));
      else if (kind === 'recreating') steps.push((kube) => kube.recreate(created));
      else {
        steps.push((kube) => kube.delete(object));
        // A name is not used again: how far the deletion has come depends on the faults.
        names.splice(names.indexOf(name), 1, `${name}${index}`);
        present.delete(name);
      }
    }
    if (kind === 'admitting' && draw.percent(30)) steps.push(...drawRejected(draw, index));
    steps.push(...drawPause(draw));
  }
  return inOrder(steps);
}

/** Draws what users do with the objects of an operator. */
function drawWorkloadOf(
  { relations }: RandomOperator,
  draw: Draw,
  further: Draw,
  kind: RandomKind,
): (kube: SimulatedUser) => Promise<void> {
  if (relations) return drawSteps(new RelatedWorkload(draw, relations), draw);
  return kind === 'mixed' ? drawSteps(new MixedWorkload(draw, further), draw) : drawWorkload(draw, kind);
}

/** Draws what users do with the objects of several resources. */
function drawSteps(
  workload: { readonly steps: Step[]; addStep(): void },
  draw: Draw,
): (kube: SimulatedUser) => Promise<void> {
  const length = 5 + draw.number(6);
  for (let index = 0; index < length; index++) {
    workload.addStep();
    workload.steps.push(...drawPause(draw));
  }
  return inOrder(workload.steps);
}

/** Draws what users try to do in vain: to create an object that is too large, or to delete one that is kept. @param index makes its name */
function drawRejected(draw: Draw, index: number): readonly Step[] {
  const metadata = { name: `r${index}`, namespace: 'default' };
  const object = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata };
  if (draw.percent(50)) {
    const large = { ...object, spec: { size: SIZE_LIMIT + draw.number(10) } };
    return [(kube) => kube.apply(large).catch(() => {})];
  }
  const kept = { ...object, metadata: { ...metadata, labels: { [KEPT.key]: KEPT.value } }, spec: { size: 1 } };
  return [(kube) => kube.apply(kept), (kube) => kube.delete(object).catch(() => {})];
}

/** Draws how long users wait until their next step. */
function drawPause(draw: Draw): readonly Step[] {
  const pause = draw.one(['settle', 'settle', 'none', 'moment', 'minute'] as const);
  if (pause === 'none') return [];
  return [(kube) => (pause === 'settle' ? kube.settled() : kube.advance(pause === 'moment' ? 0.3 : 60))];
}

function inOrder(steps: readonly Step[]): (kube: SimulatedUser) => Promise<void> {
  return async (kube) => {
    for (const step of steps) await step(kube);
  };
}

/** Draws a change of the label by which operators select objects. */
function drawSelection(draw: Draw): object {
  return { metadata: { labels: { team: draw.one(['blue', 'red', null]) } } };
}

/** Draws a change of an object; `undefined` for its deletion. */
function drawPatch(draw: Draw): object | undefined {
  const size = draw.number(10);
  return draw.one<() => object | undefined>([
    () => ({ spec: { size } }),
    () => ({ spec: { size, colour: draw.one(['red', null]) } }),
    () => ({ spec: { colour: draw.one(['red', 'green', null]) } }),
    () => drawSelection(draw),
    () => ({ metadata: { labels: { guarded: draw.one(['yes', null]) } } }),
    () => ({ metadata: { annotations: { checked: draw.one(['yes', null]) } } }),
    () => undefined,
  ])();
}
