// #region imports
import { Injectable } from '@nestjs/common';
import {
  adopt,
  ApiConflictError,
  KubeClient,
  OnCreate,
  TemporaryError,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region steps
@Injectable()
export class JobsOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('kopfexamples.kopf.dev')
  async create({ execute }: ChangeContext) {
    await execute({
      input: () => this.makeMap(),
      output: () => this.makeMap(),
    });
  }

  private async makeMap() {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', data: {} };
    const created: KubeObject = await this.client.create(adopt(map));
    return { name: created.metadata.name };
  }
}
// #endregion

// #region names
@Injectable()
export class NamedOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('kopfexamples.kopf.dev')
  async create({ uid, namespace, spec }: ChangeContext<{ field?: string }>) {
    const map = adopt({ apiVersion: 'v1', kind: 'ConfigMap', data: { field: spec.field } }, { strict: true });
    try {
      await this.client.create(map);
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      const { metadata } = await this.client.get<KubeObject>('configmaps', map.metadata.name!, { namespace });
      const isOwn = metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (!isOwn) throw new TemporaryError(`ConfigMap ${metadata.name} belongs to another object.`, { delay: 5 });
    }
  }
}
// #endregion
