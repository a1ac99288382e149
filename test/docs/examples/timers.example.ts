// #region imports
import { Injectable } from '@nestjs/common';
import { Timer, type TimerContext } from 'nestjs-kopf';
// #endregion

// #region interval
@Injectable()
export class PingOperator {
  @Timer('disks.example.com', { interval: 60 })
  ping({ name, patch, started }: TimerContext) {
    patch.status.pinged = started.toISOString();
    return `${name} is there`;
  }
}
// #endregion

// #region idle
@Injectable()
export class QuietOperator {
  @Timer('disks.example.com', { idle: 600, interval: 10, initialDelay: 60 })
  settled({ spec, logger }: TimerContext<{ tier?: string }>) {
    logger.log(`Nothing has changed for 10 minutes: ${spec.tier}.`);
  }
}
// #endregion

// #region cron
@Injectable()
export class NightlyOperator {
  @Timer('disks.example.com', { cron: '0 3 * * MON-FRI', timeZone: 'Europe/Berlin' })
  backUp({ name, patch, started }: TimerContext) {
    patch.status.backedUpAt = started.toISOString();
    return `${name} is safe`;
  }
}
// #endregion

// #region errors
@Injectable()
export class FailingOperator {
  @Timer('disks.example.com', { interval: 10, backoff: 5 })
  check({ retry, logger }: TimerContext) {
    logger.log(`Attempt ${retry + 1}`);
    if (retry < 3) throw new Error('This is tried again in 5 seconds.');
  }
}
// #endregion
