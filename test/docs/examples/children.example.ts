// #region imports
import { Injectable } from '@nestjs/common';
import {
  conditions,
  KubeClient,
  OnChild,
  OnDelete,
  OnUpdate,
  PRESENT,
  type ChangeContext,
  type ChildContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region parent
@Injectable()
export class ConfigurationOperator {
  constructor(private readonly client: KubeClient) {}

  @OnChild('kopfexamples.kopf.dev', 'configmaps')
  async summarize(context: ChildContext<{ parts?: number }>) {
    const { children, spec, patch } = context;
    let keys = 0;
    for (const { name, namespace } of children) {
      const { data } = await this.client.get<KubeObject & { data?: object }>('configmaps', name, { namespace });
      keys += Object.keys(data ?? {}).length;
    }
    patch.status.keys = keys;
    if (children.length === (spec.parts ?? 0)) conditions(context).ready();
    else conditions(context).reconciling('Incomplete', `There are ${children.length} of ${spec.parts} parts.`);
  }
}
// #endregion

// #region child
@Injectable()
export class PartOperator {
  @OnUpdate('configmaps', { ownedBy: 'kopfexamples.kopf.dev', field: 'data.key', new: PRESENT })
  changed({ name, parent, logger }: ChangeContext) {
    logger.log(`${name} of ${parent?.metadata.name} has another key; ${parent?.spec.parts} parts are wanted.`);
  }

  @OnDelete('configmaps', { ownedBy: { resource: 'kopfexamples.kopf.dev', fresh: true }, optional: true })
  gone({ name, parent, logger }: ChangeContext) {
    logger.log(parent ? `${name} of ${parent.metadata.name} goes.` : `${name} goes with its parent.`);
  }
}
// #endregion
