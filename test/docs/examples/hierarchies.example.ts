// #region imports
import { Injectable } from '@nestjs/common';
import {
  adjustNamespace,
  adopt,
  appendOwnerReference,
  harmonizeNaming,
  KubeClient,
  label,
  OnCreate,
  removeOwnerReference,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region adopt
@Injectable()
export class AdoptingOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('kopfexamples.kopf.dev')
  async create({ spec }: ChangeContext<{ image: string }>) {
    const container = { name: 'main', image: spec.image };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    };
    const created: KubeObject = await this.client.create(adopt(job, { nested: 'spec.template' }));
    return { job: created.metadata.name };
  }
}
// #endregion

// #region parts
export function prepare(owner: KubeObject, children: KubeObject[]): void {
  label(children, { app: 'web' }, { forced: true, nested: ['spec.template'] });
  harmonizeNaming(children, 'web', { strict: true });
  adjustNamespace(children, 'team-a', { forced: true });
  appendOwnerReference(children, { owner, controller: false, blockOwnerDeletion: false });
}

export function release(owner: KubeObject, children: KubeObject[]): void {
  removeOwnerReference(children, { owner });
}
// #endregion
