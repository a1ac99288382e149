// #region imports
import { Injectable } from '@nestjs/common';
import { conditions, OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region set
@Injectable()
export class SizeOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  check(context: ChangeContext<{ size?: number }>) {
    const { size = 0 } = context.spec;
    conditions(context).set({
      type: 'Sized',
      status: size > 0,
      reason: size > 0 ? 'SizeGiven' : 'NoSize',
      message: size > 0 ? `The size is ${size}.` : 'The spec has no size.',
    });
  }
}
// #endregion

// #region kstatus
@Injectable()
export class ProgressOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  reconcile(context: ChangeContext<{ tier?: string; replicas?: number }>) {
    const { tier, replicas = 0 } = context.spec;
    if (tier === undefined) conditions(context).stalled('NoTier', 'The spec needs a tier.');
    else if (replicas === 0) conditions(context).reconciling('Waiting', 'There are no replicas yet.');
    else conditions(context).ready('Running', `There are ${replicas} replicas.`);
  }
}
// #endregion
