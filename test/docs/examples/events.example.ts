// #region imports
import { Injectable } from '@nestjs/common';
import { info, KubeClient, OnCreate, OnEvent, warn, type ChangeContext, type EventContext } from 'nestjs-kopf';
// #endregion

// #region own
@Injectable()
export class ReportingOperator {
  @OnCreate('disks.example.com')
  create(context: ChangeContext) {
    context.event({ type: 'Normal', reason: 'Started', message: 'The work begins.' });
    context.info({ reason: 'HalfDone', message: 'The work is half done.' });
    context.warn({ reason: 'Slow', message: 'The work takes long.' });
    try {
      throw new Error('nothing is left');
    } catch (error) {
      context.exception({ reason: 'Failed', message: 'The work has failed:', error });
    }
  }
}
// #endregion

// #region others
@Injectable()
export class ChildrenOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  async create({ name, namespace }: ChangeContext) {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-child`, namespace } };
    const child = await this.client.create(map);
    info(child, { reason: 'Made', message: `It was made for ${name}.` });
  }

  @OnEvent('pods.v1')
  seen({ body, labels }: EventContext) {
    if (!labels.app) warn(body, { reason: 'Unlabelled', message: 'The label app is missing.' });
  }
}
// #endregion

// #region backoffs
@Injectable()
export class PatientOperator {
  @OnCreate('disks.example.com')
  create({ info, warn: report }: ChangeContext) {
    info({ reason: 'Progress', message: 'The work is half done.', backoffs: [] });
    report({ reason: 'Important', message: 'Look at this.', backoffs: [1, 10, 60, 600] });
  }
}
// #endregion

// #region loggers
export const logsAsEvents = { posting: { loggers: true, level: 'warn' as const } };
// #endregion
