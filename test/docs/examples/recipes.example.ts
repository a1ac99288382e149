// #region imports
import { Injectable } from '@nestjs/common';
import {
  ABSENT,
  Daemon,
  KubeClient,
  OnEvent,
  OnUpdate,
  PermanentError,
  PRESENT,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
} from 'nestjs-kopf';
// #endregion

// #region children
@Injectable()
export class ParentOperator {
  constructor(private readonly client: KubeClient) {}

  @OnEvent('pods.v1', { labels: { parent: PRESENT } })
  async report({ name, namespace, labels, status }: EventContext) {
    const children = { [name]: status.phase ?? 'Unknown' };
    await this.client.patch('kopfexamples.kopf.dev', labels.parent, { status: { children } }, { namespace });
  }

  @OnUpdate('kopfexamples.kopf.dev', { field: 'status.children' })
  follow({ new: children, logger }: ChangeContext) {
    logger.log(`The children are ${JSON.stringify(children)}.`);
  }
}
// #endregion

// #region never
@Injectable()
export class OnceOperator {
  @OnUpdate('kopfexamples.kopf.dev', { annotations: { 'update-never-again': ABSENT } })
  update({ patch }: ChangeContext) {
    patch.metadata.annotations['update-never-again'] = 'yes';
    throw new PermanentError('Never call it again.');
  }

  @Daemon('kopfexamples.kopf.dev', { annotations: { 'monitor-never-again': ABSENT } })
  monitor({ patch }: DaemonContext) {
    patch.metadata.annotations['monitor-never-again'] = 'yes';
  }
}
// #endregion
