import { Injectable, Module, type Type } from '@nestjs/common';
import {
  KopfModule,
  OnCreate,
  OnEvent,
  TemporaryError,
  Timer,
  type ChangeContext,
  type EventContext,
  type TimerContext,
} from 'nestjs-kopf';
import { simulate, type SimulationOptions, type SimulationReport } from 'nestjs-kopf-simulation';

const disk = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'disk' } },
  data: { turn: '0' },
};
const DISKS = { labels: { app: 'disk' } };

type Disk = typeof disk;

/** Waits for what never happens. */
@Injectable()
class WaitingOperator {
  @OnCreate('configmaps.v1', DISKS)
  create({ started, runtime }: ChangeContext): void {
    if (started || runtime) throw new TemporaryError('There is no disk yet.', { delay: 1 });
  }
}

/** Waits for half an hour, in which it gives the same reason. */
@Injectable()
class PatientOperator {
  @OnCreate('configmaps.v1', DISKS)
  create({ runtime }: ChangeContext): void {
    if (runtime < 1800) throw new TemporaryError('The disk is being formatted.', { delay: 60 });
  }
}

/** Takes turns each time it sees the disk, which leads to the next event. */
@Injectable()
class LoopingOperator {
  @OnEvent('configmaps.v1', DISKS)
  watch({ body, type, patch }: EventContext): void {
    const { turn } = (body as unknown as Disk).data;
    if (type !== 'DELETED') patch.merge({ data: { turn: turn === '1' ? '2' : '1' } });
  }
}

/** Takes turns each ten seconds. */
@Injectable()
class TogglingOperator {
  @Timer('configmaps.v1', { ...DISKS, interval: 10 })
  tick({ body, patch }: TimerContext): void {
    const { turn } = (body as unknown as Disk).data;
    patch.merge({ data: { turn: turn === '1' ? '2' : '1' } });
  }
}

/** Computes for long, again and again. */
@Injectable()
class BusyOperator {
  @OnCreate('configmaps.v1', DISKS)
  create({ retry }: ChangeContext): void {
    const end = process.cpuUsage().user + 30_000;
    while (process.cpuUsage().user < end);
    throw new TemporaryError(`The attempt ${retry} has failed.`, { delay: 1 });
  }
}

function run(operator: Type, options: Partial<SimulationOptions> = {}): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class DiskModule {}
  const workload: SimulationOptions['workload'] = (kube) => kube.apply(disk);
  return simulate(DiskModule, { workload, plans: [], shrinking: 0, ...options });
}

function describeFindings({ findings }: SimulationReport): readonly string[] {
  return findings.map(({ check, message }) => `${check}: ${message}`);
}

/** The virtual seconds after which the run of the first finding has ended. */
function secondsOf({ findings }: SimulationReport): number {
  return findings[0]!.timeline.at(-1)!.time;
}

describe('An operator that does not come to rest', { timeout: 300_000 }, () => {
  it('should be found by the hundredth TemporaryError for the same reason', async () => {
    const report = await run(WaitingOperator);
    expect(describeFindings(report)).toEqual([
      `convergence: the operator does not come to rest: 'create' for ConfigMap default/a fails again and again`,
    ]);
    expect(secondsOf(report)).toBeLessThan(130);
  });

  it('should not be taken for one that waits for half an hour', async () => {
    expect(describeFindings(await run(PatientOperator))).toEqual([]);
  });

  it('should be found at once if it writes the same again and again without a pause', async () => {
    const report = await run(LoopingOperator);
    expect(describeFindings(report)).toEqual([
      'hot-loop: the operator writes again and again: /api/v1/namespaces/default/configmaps/a',
    ]);
    expect(secondsOf(report)).toBeLessThan(120);
  });

  it('should be found soon if it writes the same again and again with pauses', async () => {
    const report = await run(TogglingOperator);
    expect(describeFindings(report)).toEqual([
      'convergence: the operator does not come to rest: it writes the same again and again to ConfigMap default/a',
    ]);
    expect(secondsOf(report)).toBeLessThan(1000);
  });

  it('should be ended when it takes more processor time than a plan may', async () => {
    expect(describeFindings(await run(BusyOperator, { budget: 1 }))).toEqual([
      'budget: the run takes more than 1 s of processor time',
    ]);
  });
});
