import { setImmediate as macrotask } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { Daemon, Index, KopfModule, OnCreate, Timer, type ChangeContext, type DaemonContext } from 'nestjs-kopf';
import { simulate, type SimulationPlan } from 'nestjs-kopf-simulation';
import { usedHeap } from '../support/measurement/garbage.js';
import { claim, CLAIMS } from './regressions/regression.case.js';

/** The operators of all processes, as long as anything keeps them. */
const operators: WeakRef<object>[] = [];

/** Waits for everything that an operator can wait for when it is killed. */
@Injectable()
class WaitingOperator {
  constructor() {
    operators.push(new WeakRef(this));
  }

  @OnCreate('configmaps.v1', { ...CLAIMS, timeout: 100 })
  create({ name }: ChangeContext) {
    return { name };
  }

  @Daemon('configmaps.v1', CLAIMS)
  async watch({ stopped }: DaemonContext) {
    while (!stopped.isSet) await stopped.wait(5);
  }

  @Timer('configmaps.v1', { ...CLAIMS, interval: 1, timeout: 10 })
  tick() {}

  @Index('pods.v1')
  pods({ name }: { name: string }) {
    return name;
  }
}

@Module({
  imports: [
    KopfModule.forRoot({
      namespaces: ['def*'],
      coordination: 'lease',
      lease: { name: 'waiting', namespace: 'default' },
    }),
  ],
  providers: [WaitingOperator],
})
class WaitingModule {}

describe('The memory of simulations', { timeout: 300_000 }, () => {
  it('should keep no operator of a run that is over, though all of them were killed in whatever they did', async () => {
    const plans: readonly SimulationPlan[] = [
      { seed: 1, faults: [] },
      { seed: 2, faults: [{ kind: 'crash', afterWrite: 1 }], delays: true },
      { seed: 3, faults: [{ kind: 'crash', afterWrite: 3 }] },
      { seed: 4, faults: [{ kind: 'missed-events', resource: 'configmaps', fromChange: 1, untilChange: 3 }] },
    ];
    const report = await simulate(WaitingModule, {
      plans,
      replicas: 2,
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.settled();
        await kube.patch(claim, { data: { size: '2' } });
      },
    });
    expect(report.findings).toEqual([]);
    // A reference that was made or read keeps its target until the next turn.
    await macrotask();
    usedHeap();
    expect(operators.length).toBeGreaterThan(2 * plans.length);
    expect(operators.filter((operator) => operator.deref())).toEqual([]);
  });
});
