import { lifecycles, type KopfModuleOptions } from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  DigestDiffBaseStorage,
  MultiDiffBaseStorage,
  MultiProgressStorage,
  SmartProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type DiffBaseStorage,
  type ProgressStorage,
} from 'nestjs-kopf/storages';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import type { Draw } from './random.draw.js';
import type { RandomKind } from './random.operator.js';

const LIFECYCLES = [
  lifecycles.allAtOnce,
  lifecycles.asap,
  lifecycles.oneByOne,
  lifecycles.randomized,
  lifecycles.shuffled,
];

const PROGRESS_STORAGES: readonly (() => ProgressStorage)[] = [
  () => new SmartProgressStorage(),
  () => new AnnotationsProgressStorage(),
  () => new AnnotationsProgressStorage({ prefix: 'random.example.com', verbose: true }),
  () => new StatusProgressStorage(),
];

/** The storages of the kinds that were added later, so that operators which are known stay what they were. */
const FURTHER_STORAGES: readonly (() => ProgressStorage)[] = [
  () =>
    new MultiProgressStorage([
      new AnnotationsProgressStorage(),
      new AnnotationsProgressStorage({ prefix: 'random.example.com' }),
    ]),
  () => new AnnotationsProgressStorage({ prefix: 'random.example.com' }),
  // Builtin objects keep no status of others.
  () => new MultiProgressStorage([new AnnotationsProgressStorage(), new StatusProgressStorage()]),
  () => new MultiProgressStorage([new StatusProgressStorage(), new SmartProgressStorage()]),
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
  /** Whether the status of the objects is a subresource, so that separate requests write it. */
  readonly hasStatus: boolean;
  /** Whether each handler gets the last state of an object, also while others wait for their next attempts. */
  readonly repeatsLateChanges: boolean;
  /** Whether the operator is for the objects of a namespace. */
  serves(namespace: string): boolean;
}

/** Configures other storages for the progress. @param isOfBuiltins for an operator that handles builtin objects, too */
export function storeElsewhere(draw: Draw, settings: RandomSettings, isOfBuiltins: boolean): RandomSettings {
  if (draw.percent(40)) return settings;
  const progressStorage = draw.one(isOfBuiltins ? FURTHER_STORAGES.slice(0, 2) : FURTHER_STORAGES)();
  const { kopf } = settings;
  return { ...settings, kopf: { ...kopf, persistence: { ...kopf.persistence, progressStorage } } };
}

/** Draws the settings of an operator, those which are rarer only for the kind that is about them. */
export function drawSettings(draw: Draw, kind: RandomKind): RandomSettings {
  const settings = drawUsualSettings(draw);
  if (kind === 'mixed') return mixSettings(draw, settings);
  if (kind === 'related') return storeElsewhere(draw, keepInAnnotations(draw, settings), true);
  if (kind === 'admitting') return storeElsewhere(draw, admit(settings), false);
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
    serves: () => true,
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

/** Keeps progress and differences in annotations, also for children, which are built-in objects. */
function keepInAnnotations(draw: Draw, settings: RandomSettings): RandomSettings {
  const { kopf } = settings;
  const progressStorage = draw.one(PROGRESS_STORAGES.slice(0, 3))();
  const diffbaseStorage = draw.one(DIFFBASE_STORAGES.slice(0, 2))();
  return { ...settings, kopf: { ...kopf, persistence: { ...kopf.persistence, progressStorage, diffbaseStorage } } };
}

/** Configures admission reviews by the operator. */
function admit(settings: RandomSettings): RandomSettings {
  const admission = { managed: 'random.example.com', server: new WebhookServer() };
  return { ...settings, kopf: { ...settings.kopf, admission } };
}

/** Draws settings for several resources, of which the builtin ones keep no status of others, in namespaces of which it serves some. */
function mixSettings(draw: Draw, settings: RandomSettings): RandomSettings {
  const { kopf } = settings;
  const [namespaces, serves] = draw.one<[KopfModuleOptions['namespaces'], RandomSettings['serves']]>([
    [undefined, () => true],
    ['app-*', (name) => name.startsWith('app-')],
    [['app-*', 'default'], (name) => name.startsWith('app-') || name === 'default'],
  ]);
  return {
    ...settings,
    serves,
    kopf: {
      ...kopf,
      ...(namespaces !== undefined && { namespaces }),
      ...(kopf.coordination === 'peering' && { peering: { ...kopf.peering, clusterwide: true } }),
      persistence: {
        ...kopf.persistence,
        progressStorage: draw.one(PROGRESS_STORAGES.slice(0, 3))(),
        diffbaseStorage: draw.one(DIFFBASE_STORAGES.slice(0, 2))(),
      },
      patching: { ...kopf.patching, force: draw.percent(50) },
    },
  };
}

/** Draws settings that change how the operator works, but not what it must bring about. */
function varySettings(draw: Draw, kopf: KopfModuleOptions): KopfModuleOptions {
  const namespaces = draw.one([undefined, undefined, 'default', 'def*, !kube-*', /def.*/]);
  return {
    ...kopf,
    ...(namespaces !== undefined && { namespaces }),
    // The peering object that the operator finds is that of the cluster, whichever namespaces it serves.
    ...(kopf.coordination === 'peering' && { peering: { ...kopf.peering, clusterwide: true } }),
    scanning: { disabled: draw.percent(20) },
    watching: {
      pageSize: draw.one([1, 2, 500]),
      streamedLists: draw.one<'auto' | boolean>([false, 'auto', true]),
      serverTimeout: draw.one([null, 40]),
      clientTimeout: draw.one([null, 50]),
      reconnectBackoff: draw.one([0.1, 1]),
    },
    networking: { errorBackoffs: draw.one([[], [1, 2], [1, 1, 2, 3, 5, 8, 13, 21]]), qps: draw.one([null, 20]) },
    queueing: {
      ...kopf.queueing,
      workerLimitPerKind: draw.one([null, 1, 2]),
      errorDelays: draw.one([[0.5], [1, 20], [1, 1, 2, 3, 5]]),
    },
    patching: { ...kopf.patching, fieldManager: draw.one(['nestjs-kopf', 'random']) },
    deletion: { ...kopf.deletion, optionalHandlers: draw.one(['skip', 'call']) },
    background: {
      cancellationPolling: draw.one([2, 60]),
      instantExitTimeout: draw.one([null, 0.5]),
      timerFailures: draw.one(['stop', 'repeat']),
    },
    posting: { ...kopf.posting, loggers: draw.percent(30), queueLimit: draw.one([1, 1000]) },
  };
}

/** Draws the settings that were added later, so that operators which are known stay what they were. */
export function varyFurther(draw: Draw, { kopf, ...settings }: RandomSettings): RandomSettings {
  const watching = { ...kopf.watching, chunkSize: draw.one([null, null, 0, 2]) };
  const posting = {
    ...kopf.posting,
    workerLimit: draw.one([null, 1, 3]),
    idleTimeout: draw.one([0, 1]),
    defaultBackoffs: draw.one([[], 0, [1, 2]]),
  };
  return { ...settings, kopf: { ...kopf, watching, posting } };
}
