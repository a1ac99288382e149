import { Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, OnEvent, type ChangeContext } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationPlan } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

@Injectable()
class RoomOperator {
  @OnEvent('namespaces')
  follow(): void {}

  @OnCreate('configmaps.v1', { labels: { app: 'claim' } })
  create({ name }: ChangeContext): string {
    return name;
  }
}

@Module({ imports: [KopfModule.forRoot({ namespaces: 'app-*' })], providers: [RoomOperator] })
class RoomsModule {}

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'app-one' } };
const claim = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'app-one', labels: { app: 'claim' } },
};

async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(namespace);
  await kube.apply(claim);
  await kube.settled();
  await kube.delete(namespace);
}

describe('Namespaces in a simulation', () => {
  it('should come and go while the operator is disconnected, and have handlers of their own', async () => {
    const plans = [1, 3, 5, 7].map((afterChange): SimulationPlan => ({
      seed: 1,
      faults: [{ kind: 'outage', afterChange }],
    }));
    const report = await simulate(RoomsModule, { workload, plans, oracles: { deterministic: false } });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ outage: plans.length });
  });
});
