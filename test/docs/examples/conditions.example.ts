// #region imports
import { Injectable } from '@nestjs/common';
import { conditions, OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region set
@Injectable()
export class SizeOperator {
  @OnCreate('kopfexamples.kopf.dev')
  @OnUpdate('kopfexamples.kopf.dev')
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
  @OnCreate('kopfexamples.kopf.dev')
  @OnUpdate('kopfexamples.kopf.dev')
  reconcile(context: ChangeContext<{ field?: string; replicas?: number }>) {
    const { field, replicas = 0 } = context.spec;
    if (field === undefined) conditions(context).stalled('NoField', 'The spec needs a field.');
    else if (replicas === 0) conditions(context).reconciling('Waiting', 'There are no replicas yet.');
    else conditions(context).ready('Running', `There are ${replicas} replicas.`);
  }
}
// #endregion
