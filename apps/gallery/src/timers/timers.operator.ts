import { Injectable } from '@nestjs/common';
import { TemporaryError, Timer, type TimerContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

interface CheckSpec {
  readonly healthy?: boolean;
}

/** Looks after objects on schedules: regularly, and when nobody has touched them for a while. */
@Injectable()
export class TimersOperator {
  @Timer(EXAMPLES, { interval: 60, sharp: true, initialDelay: 5 })
  check({ spec, patch, retry }: TimerContext<CheckSpec>) {
    // An error has its own delay, in place of the interval.
    if (spec.healthy === false && retry < 2) throw new TemporaryError('It is ill.', { delay: 10 });
    patch.status.health = spec.healthy === false ? 'ill' : 'well';
  }

  @Timer(EXAMPLES, { idle: 3600 })
  archive({ patch }: TimerContext) {
    patch.meta.labels.archived = 'yes';
  }
}
