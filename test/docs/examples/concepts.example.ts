// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region durable
@Injectable()
export class DurableOperator {
  @OnCreate('disks.example.com')
  first({ logger }: ChangeContext) {
    logger.log('The first handler works.');
  }

  @OnCreate('disks.example.com')
  second({ logger }: ChangeContext) {
    logger.log('The second handler works.');
  }

  @OnUpdate('disks.example.com')
  update({ old, new: now, logger }: ChangeContext) {
    logger.log(`It was ${old.spec.tier} and is ${now.spec.tier}.`);
  }
}
// #endregion
