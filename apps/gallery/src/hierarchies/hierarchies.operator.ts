import { Inject, Injectable } from '@nestjs/common';
import {
  adopt,
  KubeClient,
  Needs,
  OnCreate,
  OnDelete,
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
    await this.apply(name, spec);
    return { configMap: name };
  }

  @OnUpdate(EXAMPLES, { field: 'spec.settings' })
  async update({ spec, name }: ChangeContext<SettingsSpec>) {
    await this.apply(name, spec);
  }

  /**
   * Holds the object until nothing is done for it any more. Otherwise it could be made anew meanwhile, and what is still done for the old one
   * would take the config map from the new one.
   */
  @OnDelete(EXAMPLES)
  release() {}

  /** Can be repeated with other settings, as it is after an interruption: what was applied before and is not any more is removed. */
  private async apply(name: string, { settings }: SettingsSpec): Promise<void> {
    const configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: settings };
    adopt(configMap, { nested: [] });
    // What somebody else has changed is taken back: otherwise, each attempt would meet with the same conflict.
    await this.client.apply(configMap, { fieldManager: 'gallery', force: true });
  }
}
