// #region imports
import { Injectable } from '@nestjs/common';
import { Daemon, StopReason, TemporaryError, type DaemonContext } from 'nestjs-kopf';
// #endregion

// #region flag
interface Spec {
  tier?: string;
}

@Injectable()
export class MonitorOperator {
  @Daemon('disks.example.com')
  async monitor({ spec, stopped, logger }: DaemonContext<Spec>) {
    do logger.log(`The tier is ${spec.tier}.`);
    while (!(await stopped.wait(10)));
    if (stopped.has(StopReason.RESOURCE_DELETED)) logger.log('Bye.');
  }
}
// #endregion

// #region signal
@Injectable()
export class LineOperator {
  @Daemon('disks.example.com', { cancellationBackoff: 5, cancellationTimeout: 20 })
  async listen({ signal, logger }: DaemonContext<Spec>) {
    for await (const line of readLines(signal)) logger.log(line);
  }
}

export async function* readLines(signal: AbortSignal) {
  yield 'The line is open.';
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
// #endregion

// #region unheld
@Injectable()
export class ObservingOperator {
  @Daemon('disks.example.com', { finalizer: false })
  async observe({ stopped, name, logger }: DaemonContext<Spec>) {
    while (!(await stopped.wait(60))) logger.log(`${name} is still there.`);
  }
}
// #endregion

// #region restart
@Injectable()
export class RestartingOperator {
  @Daemon('disks.example.com', { initialDelay: 30 })
  async work({ retry, logger }: DaemonContext<Spec>) {
    logger.log(`This is run ${retry + 1}.`);
    throw new TemporaryError('It is to be started again.', { delay: 10 });
  }
}
// #endregion

// #region results
@Injectable()
export class PhasesOperator {
  @Daemon('disks.example.com', { labels: { watched: 'yes' }, initialDelay: ({ spec }) => spec.delay ?? 0 })
  async finish({ stopped, patch }: DaemonContext<Spec>) {
    patch.status.phase = 'Finishing';
    await stopped.wait(10);
    return { finished: true };
  }
}
// #endregion
