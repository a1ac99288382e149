// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, PermanentError, TemporaryError, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region temporary
@Injectable()
export class PatientOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ retry, logger }: ChangeContext) {
    if (retry < 3) throw new TemporaryError('The data is not ready yet.', { delay: 30 });
    logger.log('The data is ready.');
  }
}
// #endregion

// #region permanent
@Injectable()
export class StrictOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ spec }: ChangeContext<{ size?: string }>) {
    if (!spec.size) throw new PermanentError(`Size must be set. Got ${spec.size}.`);
  }
}
// #endregion

// #region modes
@Injectable()
export class ModesOperator {
  @OnCreate('kopfexamples.kopf.dev', { errors: 'permanent' })
  fail() {
    throw new Error('This is final.');
  }

  @OnCreate('kopfexamples.kopf.dev', { errors: 'ignored' })
  ignore() {
    throw new Error('This counts as a success.');
  }
}
// #endregion

// #region limits
@Injectable()
export class LimitedOperator {
  @OnCreate('kopfexamples.kopf.dev', { retries: 3, backoff: 10 })
  retried({ retry, logger }: ChangeContext) {
    logger.log(`This is attempt ${retry + 1} of 3.`);
    throw new Error('This is tried again in 10 seconds.');
  }

  @OnCreate('kopfexamples.kopf.dev', { timeout: 60 })
  async limited({ signal, logger }: ChangeContext) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    logger.log('The time is over.');
  }
}
// #endregion
