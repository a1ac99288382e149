import {
  allAtOnce,
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  asap,
  DigestDiffBaseStorage,
  MultiDiffBaseStorage,
  oneByOne,
  randomized,
  shuffled,
  SmartProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type DiffBaseStorage,
  type KopfModuleOptions,
  type ProgressStorage,
} from 'nestjs-kopf';
import type { Draw } from './random.draw.js';
import type { RandomKind } from './random.operator.js';
import { varySettings } from './random.variety.js';

const LIFECYCLES = [allAtOnce, asap, oneByOne, randomized, shuffled];

const PROGRESS_STORAGES: readonly (() => ProgressStorage)[] = [
  () => new SmartProgressStorage(),
  () => new AnnotationsProgressStorage(),
  () => new AnnotationsProgressStorage({ prefix: 'random.example.com', verbose: true }),
  () => new StatusProgressStorage(),
];

const DIFFBASE_STORAGES: readonly (() => DiffBaseStorage)[] = [
  () => new AnnotationsDiffBaseStorage(),
  () => new AnnotationsDiffBaseStorage({ prefix: 'random.example.com', key: 'last' }),
  () => new StatusDiffBaseStorage(),
  () => new MultiDiffBaseStorage([new AnnotationsDiffBaseStorage(), new StatusDiffBaseStorage()]),
  () =>
    new DigestDiffBaseStorage(new AnnotationsDiffBaseStorage(), {
      keys: ['a key of more than sixteen bytes'],
      fields: [{ apiVersion: 'kopf.dev/v1', kind: 'KopfExample', fields: ['spec.secret'] }],
    }),
];

/** The options of a random operator, and what they mean for its checks. */
export interface RandomSettings {
  readonly kopf: KopfModuleOptions;
  readonly replicas: number;
  /** Is true if the status of the objects is a subresource, so that it is written by requests of its own. */
  readonly hasStatus: boolean;
  /** Is true if each handler is shown the last state of an object, also while others wait for their next attempts. */
  readonly repeatsLateChanges: boolean;
}

/** Draws the settings of an operator, those which are rarer only for the kind that is about them. */
export function drawSettings(draw: Draw, kind: RandomKind): RandomSettings {
  const settings = drawUsualSettings(draw);
  if (kind !== 'varied') return settings;
  return { ...settings, hasStatus: draw.percent(50), kopf: varySettings(draw, settings.kopf) };
}

function drawUsualSettings(draw: Draw): RandomSettings {
  const repeatsLateChanges = draw.percent(70);
  const coordination = draw.one<'lease' | 'peering' | undefined>(['lease', 'peering', ...Array<undefined>(8)]);
  return {
    repeatsLateChanges,
    // Peers of one priority would all pause.
    replicas: coordination === 'lease' ? draw.one([1, 2]) : 1,
    hasStatus: false,
    kopf: {
      lifecycle: draw.one(LIFECYCLES),
      execution: { lateChanges: repeatsLateChanges ? 'repeat' : 'ignore', defaultBackoff: draw.one([1, 10, 60]) },
      persistence: {
        finalizer: draw.one(['kopf.zalando.org/KopfFinalizerMarker', 'random.example.com/hold']),
        progressStorage: draw.one(PROGRESS_STORAGES)(),
        diffbaseStorage: draw.one(DIFFBASE_STORAGES)(),
        consistencyTimeout: draw.one([1, 5, 30]),
        lostEssence: draw.one(['create', 'recall']),
      },
      deletion: { permanentErrors: 'release', progress: draw.one(['purge', 'keep']) },
      patching: { mode: draw.one(['merge', 'merge', 'apply']) },
      queueing: { workerLimit: draw.one([null, 1, 2]) },
      posting: { enabled: draw.percent(50) },
      ...(coordination && { coordination }),
      ...(coordination === 'lease' && { lease: { name: 'random', namespace: 'default' } }),
      ...(coordination === 'peering' && { peering: { name: 'random', mandatory: true } }),
    },
  };
}
