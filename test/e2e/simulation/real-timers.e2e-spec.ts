import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Module, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { KopfModule, OnCreate, OnStartup } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationReport } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const HOUR = 3_600_000;
const disk = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'disk' } } };

/** The timers that operators have left. */
const left: NodeJS.Timeout[] = [];
let waiting = new AbortController();

afterEach(() => {
  for (const timer of left.splice(0)) clearTimeout(timer);
  waiting.abort();
  waiting = new AbortController();
});

@Injectable()
class DiskOperator {
  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  create(): void {}
}

@Injectable()
class PollingOperator extends DiskOperator {
  @OnStartup()
  poll(): void {
    left.push(setInterval(() => {}, 50));
  }
}

@Injectable()
class PostponingOperator extends DiskOperator {
  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  postpone(): void {
    left.push(setTimeout(() => {}, HOUR));
  }
}

@Injectable()
class WaitingOperator extends DiskOperator {
  @OnStartup()
  wait(): void {
    void pause(HOUR, undefined, { signal: waiting.signal }).catch(() => {});
  }
}

/** An operator whose timers end with it or soon after it, or keep no process from ending. */
@Injectable()
class TidyOperator extends DiskOperator implements OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  tidy(): void {
    this.timers.push(
      setInterval(() => {}, 50),
      setTimeout(() => {}, HOUR),
    );
    left.push(setInterval(() => {}, HOUR).unref());
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
    left.push(setTimeout(() => {}, 900));
  }
}

function run(operator: Type, leaks = true): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class DiskModule {}
  const workload = (kube: SimulatedUser): Promise<unknown> => kube.apply(disk);
  return simulate(DiskModule, { workload, plans: [], oracles: { leaks } });
}

function textsOf({ findings }: SimulationReport): readonly string[] {
  return findings.map(({ check, message }) => `${check}: ${message}`);
}

describe('Timers of Node.js that an operator leaves behind', () => {
  it.each([
    ['setInterval()', PollingOperator, 'PollingOperator.poll'],
    ['a setTimeout() of an hour', PostponingOperator, 'PostponingOperator.postpone'],
    ['setTimeout() of node:timers/promises', WaitingOperator, 'WaitingOperator.wait'],
  ])('should be found: %s', async (_, operator, setter) => {
    const [found, ...others] = textsOf(await run(operator));
    expect(others).toEqual([]);
    expect(found).toContain(
      `leaks: of the operator that has stopped is left: a timer of Node.js, which was set by ${setter} (real-timers.e2e-spec.ts:`,
    );
    expect(textsOf(await run(operator, false))).toEqual([]);
  });

  it('should not be found where they end with the operator or soon after it, or keep no process from ending', async () => {
    expect(await run(TidyOperator)).toHaveNoFindings();
  });

  it('should be found in the simulation that has them only, of several in one process', async () => {
    left.push(setInterval(() => {}, HOUR));
    const [polling, tidy, plain] = await Promise.all([run(PollingOperator), run(TidyOperator), run(DiskOperator)]);
    expect(textsOf(polling)).toHaveLength(1);
    expect(textsOf(tidy)).toEqual([]);
    expect(textsOf(plain)).toEqual([]);
  });
});
