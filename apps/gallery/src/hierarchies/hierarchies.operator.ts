import { Inject, Injectable } from '@nestjs/common';
import {
  adopt,
  ApiConflictError,
  KubeClient,
  Needs,
  OnCreate,
  OnUpdate,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

interface SettingsSpec {
  readonly settings: Readonly<Record<string, string>>;
}

/** Keeps a config map with the settings of each object. It is owned by the object, has its labels, and goes with it. */
@Injectable()
@Needs({ configmaps: ['create', 'patch'] })
export class HierarchiesOperator {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  @OnCreate(EXAMPLES)
  async create({ spec, name }: ChangeContext<SettingsSpec>) {
    const settings: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: spec.settings };
    adopt(settings, { nested: [] });
    try {
      await this.client.create(settings);
    } catch (error) {
      // It was created before an interruption.
      if (!(error instanceof ApiConflictError)) throw error;
    }
    return { configMap: name };
  }

  @OnUpdate(EXAMPLES, { field: 'spec.settings' })
  async update({ old, new: settings, name, namespace }: ChangeContext<SettingsSpec>) {
    const removed = Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null]));
    await this.client.patch('configmaps.v1', name, { data: { ...removed, ...settings } }, { namespace });
  }
}
