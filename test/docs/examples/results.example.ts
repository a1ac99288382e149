// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region results
@Injectable()
export class ResultsOperator {
  @OnCreate('kopfexamples.kopf.dev')
  count() {
    return 100;
  }

  @OnCreate('kopfexamples.kopf.dev')
  async describe({ name }: ChangeContext) {
    return { title: `This is ${name}`, since: new Date(0), unknown: undefined };
  }
}
// #endregion

// #region exchange
interface Status {
  makeVolume?: { name: string };
}

@Injectable()
export class ExchangeOperator {
  @OnCreate('kopfexamples.kopf.dev')
  makeJob({ status }: ChangeContext<unknown, Status>) {
    const volume = status.makeVolume?.name;
    if (!volume) throw new TemporaryError('There is no volume yet.', { delay: 10 });
    return { name: `job-with-${volume}` };
  }

  @OnCreate('kopfexamples.kopf.dev')
  makeVolume({ name }: ChangeContext<unknown, Status>) {
    return { name: `volume-of-${name}` };
  }
}
// #endregion
