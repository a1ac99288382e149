// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region durable
@Injectable()
export class DurableOperator {
  @OnCreate('kopfexamples.kopf.dev')
  first({ logger }: ChangeContext) {
    logger.log('The first handler works.');
  }

  @OnCreate('kopfexamples.kopf.dev')
  second({ logger }: ChangeContext) {
    logger.log('The second handler works.');
  }

  @OnUpdate('kopfexamples.kopf.dev')
  update({ old, new: now, logger }: ChangeContext) {
    logger.log(`It was ${old.spec.field} and is ${now.spec.field}.`);
  }
}
// #endregion
