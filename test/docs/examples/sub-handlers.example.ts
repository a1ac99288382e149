// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region added
interface Spec {
  items: readonly string[];
}

@Injectable()
export class ItemsOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ spec, subhandler }: ChangeContext<Spec>) {
    for (const item of spec.items) {
      subhandler(item, ({ logger }) => {
        logger.log(`The item ${item} is made.`);
        return `done with ${item}`;
      });
    }
  }
}
// #endregion

// #region executed
@Injectable()
export class StepsOperator {
  @OnCreate('kopfexamples.kopf.dev')
  async create({ execute, logger }: ChangeContext<Spec>) {
    await execute({ first: this.makeFirst, second: this.makeSecond });
    logger.log('Both are made.');
  }

  private makeFirst({ retry }: ChangeContext<Spec>) {
    if (retry < 2) throw new TemporaryError('Not yet.', { delay: 10 });
  }

  private makeSecond({ retry }: ChangeContext<Spec>) {
    if (retry < 6) throw new TemporaryError('Not yet.', { delay: 10 });
  }
}
// #endregion

// #region options
@Injectable()
export class OptionsOperator {
  @OnUpdate('kopfexamples.kopf.dev')
  update({ subhandler }: ChangeContext<Spec>) {
    subhandler('resize', ({ old, new: size, logger }) => logger.log(`From ${old} to ${size}.`), {
      field: 'spec.size',
      retries: 5,
      backoff: 10,
    });
  }
}
// #endregion
