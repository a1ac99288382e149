// #region imports
import { Injectable, Module } from '@nestjs/common';
import { KopfModule, lifecycles, OnCreate, OnStartup, type ActivityContext, type Lifecycle } from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  MultiDiffBaseStorage,
  MultiProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type ProgressRecord,
  type ProgressStorage,
} from 'nestjs-kopf/storages';
// #endregion

// #region operator
@Injectable()
export class DiskOperator {
  @OnCreate('disks.example.com')
  create() {
    return 'created';
  }
}
// #endregion

// #region module
@Module({
  imports: [
    KopfModule.forRoot({
      namespaces: ['ns', 'team-*'],
      execution: { defaultBackoff: 30 },
      queueing: { workerLimit: 20 },
      networking: { errorBackoffs: [10, 20, 30] },
    }),
  ],
  providers: [DiskOperator],
})
export class AppModule {}
// #endregion

// #region async
@Injectable()
export class EnvironmentService {
  readonly namespaces = ['ns'];
}

@Module({ providers: [EnvironmentService], exports: [EnvironmentService] })
export class EnvironmentModule {}

@Module({
  imports: [
    KopfModule.forRootAsync({
      imports: [EnvironmentModule],
      inject: [EnvironmentService],
      useFactory: ({ namespaces }: EnvironmentService) => ({ namespaces }),
    }),
  ],
  providers: [DiskOperator],
})
export class AsyncAppModule {}
// #endregion

// #region startup
@Injectable()
export class ConfiguringOperator {
  @OnStartup()
  configure({ settings }: ActivityContext) {
    settings.persistence.finalizer = 'my-operator.example.com/finalizer';
    settings.posting.enabled = false;
  }
}
// #endregion

// #region annotations
export const ownAnnotations = {
  persistence: {
    finalizer: 'my-operator.example.com/finalizer',
    progressStorage: new AnnotationsProgressStorage({ prefix: 'my-operator.example.com' }),
    diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix: 'my-operator.example.com' }),
  },
};
// #endregion

// #region status
export const ownStatus = {
  persistence: {
    progressStorage: new StatusProgressStorage({ field: 'status.my-operator.progress' }),
    diffbaseStorage: new StatusDiffBaseStorage({ field: 'status.my-operator.last-handled' }),
  },
};
// #endregion

// #region transition
export const transition = {
  persistence: {
    progressStorage: new MultiProgressStorage([
      new AnnotationsProgressStorage({ prefix: 'my-operator.example.com' }),
      new AnnotationsProgressStorage(),
    ]),
    diffbaseStorage: new MultiDiffBaseStorage([
      new AnnotationsDiffBaseStorage({ prefix: 'my-operator.example.com' }),
      new AnnotationsDiffBaseStorage(),
    ]),
  },
};
// #endregion

// #region custom
export class MemoryProgressStorage implements ProgressStorage {
  readonly records = new Map<string, ProgressRecord>();

  fetch(key: string, { metadata }: { metadata: { uid?: string } }) {
    return this.records.get(`${metadata.uid}/${key}`);
  }

  store(key: string, record: ProgressRecord, { metadata }: { metadata: { uid?: string } }) {
    this.records.set(`${metadata.uid}/${key}`, record);
  }

  purge(key: string, { metadata }: { metadata: { uid?: string } }) {
    this.records.delete(`${metadata.uid}/${key}`);
  }

  /** Something must change on the object, so that the operator gets an event of it. */
  touch(value: string | null, body: { metadata: object }, patch: { metadata: { annotations: object } }) {
    const annotations = (body.metadata as { annotations?: Record<string, string> }).annotations ?? {};
    if ((annotations['example.com/touched'] ?? null) === value) return;
    Object.assign(patch.metadata.annotations, { 'example.com/touched': value });
  }

  clear(essence: Record<string, unknown>) {
    const metadata = essence.metadata as { annotations?: Record<string, string> } | undefined;
    delete metadata?.annotations?.['example.com/touched'];
    return essence;
  }
}
// #endregion

// #region renamed
const names = { prefix: 'my-operator.example.com', formerPrefixes: ['kopf.zalando.org'] };

export const renamed = {
  persistence: {
    finalizer: 'my-operator.example.com/finalizer',
    formerFinalizers: ['kopf.zalando.org/KopfFinalizerMarker'],
    progressStorage: new AnnotationsProgressStorage(names),
    diffbaseStorage: new AnnotationsDiffBaseStorage(names),
  },
};
// #endregion

// #region essence
export const careful = {
  persistence: {
    lostEssence: 'recall' as const,
    diffbaseStorage: new AnnotationsDiffBaseStorage({
      ignoredFields: ['spec.replicas'],
      oversize: 'hash',
      detectCopies: true,
    }),
  },
};
// #endregion

// #region lifecycle
export const lastFirst: Lifecycle = (handlers) => handlers.slice(-1);

export const inDisorder = { lifecycle: lifecycles.shuffled };
// #endregion
