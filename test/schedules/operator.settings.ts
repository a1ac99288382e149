import { lifecycles, type KopfModuleOptions } from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  MultiDiffBaseStorage,
  MultiProgressStorage,
  SmartProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type DiffBaseStorage,
  type ProgressStorage,
} from 'nestjs-kopf/storages';
import { NAMESPACE } from './example.resource.js';
import type { OperatorPlan } from './schedule.plan.js';

const LIFECYCLES = {
  asap: lifecycles.asap,
  allAtOnce: lifecycles.allAtOnce,
  oneByOne: lifecycles.oneByOne,
  randomized: lifecycles.randomized,
  shuffled: lifecycles.shuffled,
};

/** Where a planned operator keeps the state of handling. */
export interface PlannedStorages {
  readonly progressStorage: ProgressStorage;
  readonly diffbaseStorage: DiffBaseStorage;
}

/** Makes the storages of the plan. */
export function makeStorages({ storage }: OperatorPlan): PlannedStorages {
  switch (storage) {
    case 'smart':
      return { progressStorage: new SmartProgressStorage(), diffbaseStorage: new AnnotationsDiffBaseStorage() };
    case 'annotations':
      return { progressStorage: new AnnotationsProgressStorage(), diffbaseStorage: new AnnotationsDiffBaseStorage() };
    case 'status':
      return { progressStorage: new StatusProgressStorage(), diffbaseStorage: new StatusDiffBaseStorage() };
    case 'multi':
      return {
        progressStorage: new MultiProgressStorage([new AnnotationsProgressStorage(), new StatusProgressStorage()]),
        diffbaseStorage: new MultiDiffBaseStorage([new AnnotationsDiffBaseStorage(), new StatusDiffBaseStorage()]),
      };
  }
}

/** Makes the options of the module, but for time, randomness, and credentials. */
export function makeSettings(plan: OperatorPlan, storages: PlannedStorages): KopfModuleOptions {
  const { lifecycle, progress, consistencyTimeout, requestTimeout, workerLimit, streamedLists, posting, namespaced } =
    plan;
  return {
    lifecycle: LIFECYCLES[lifecycle],
    ...(namespaced && { namespaces: NAMESPACE }),
    persistence: { ...storages, consistencyTimeout },
    deletion: { progress },
    execution: { lateChanges: 'repeat' },
    networking: { requestTimeout },
    queueing: { workerLimit },
    posting: { enabled: posting },
    watching: { streamedLists: streamedLists ? 'auto' : false },
  };
}
