import { Inject, Injectable, Module } from '@nestjs/common';
import {
  KOPF_CLOCK,
  KopfModule,
  OnCreate,
  OnUpdate,
  type ChangeContext,
  type Clock,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import {
  simulate,
  type SimulatedEffects,
  type SimulatedModule,
  type SimulatedState,
  type SimulatedUser,
  type SimulationOptions,
  type SimulationPlan,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { claim, CLAIMS } from './regressions/regression.case.js';
import { withHiddenTakeover } from './hidden.takeover.js';
import {
  bursts,
  combine,
  countFaults,
  crashes,
  freezes,
  lags,
  clockJumps,
  outages,
  points,
  skews,
} from './replica.plans.js';

expect.extend(kopfMatchers);

/** The annotation by which handlers say who they are. */
const HANDLED_BY = 'example.com/handled-by';
/** Seconds within which another replica succeeds one that is down or frozen. */
const LONG = 60;

/** A handler class that knows the number of its replica, and records its calls. */
class Replica {
  number = 0;
  onCall = async (): Promise<void> => {};
}

/** A handler that takes some time before and after it has done something outside of the cluster, so that leaders change in between. */
@Injectable()
class LedOperator {
  constructor(
    @Inject(Replica) private readonly replica: Replica,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnCreate('configmaps.v1', CLAIMS)
  @OnUpdate('configmaps.v1', CLAIMS)
  async handle({ patch }: ChangeContext) {
    await this.wait();
    await this.replica.onCall();
    await this.wait();
    patch.metadata.annotations[HANDLED_BY] = String(this.replica.number);
  }

  private wait(): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimer(resolve, 4000));
  }
}

/** Changes an object twice, the second time while the first change is handled. */
async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
  await kube.advance(5);
  await kube.patch(claim, { data: { size: '3' } });
  await kube.settled();
}

function theFirstLeads({ effects }: SimulatedState) {
  return effects.all.some(({ key }) => key === '1');
}

function theSecondLeads({ effects }: SimulatedState) {
  return effects.all.some(({ key }) => key === '2');
}

/** The clock of a process, which ends with it. */
interface SimulatedProcess {
  readonly isDead: boolean;
}

/** Makes the replica of a process: one that is started after a crash has the number of the one that has crashed. */
function replicaOf(process: SimulatedProcess, effects: SimulatedEffects): Replica {
  const processes = (effects.memory.get('processes') ?? []) as SimulatedProcess[];
  effects.memory.set('processes', processes);
  const index = processes.length < 2 ? processes.length : processes.findIndex(({ isDead }) => isDead);
  processes[index] = process;
  const number = index + 1;
  return { number, onCall: () => effects.record('handle', String(number)) };
}

/** Replicas of the operator, and the options of their simulation. */
interface SimulatedReplicas {
  readonly module: SimulatedModule;
  readonly options: SimulationOptions;
}

/** Makes two replicas, of which each must handle objects in some run, or the plans mean nothing. */
function replicasOf(kopf: KopfModuleOptions): SimulatedReplicas {
  @Module({ imports: [KopfModule.forRoot(kopf)], providers: [LedOperator, Replica] })
  class LedModule {}
  const options: SimulationOptions = {
    workload,
    sometimes: [theFirstLeads, theSecondLeads],
    replicas: 2,
    ignore: [/handled-by/, /^the effect /],
    override: (builder, effects) =>
      builder.overrideProvider(Replica).useFactory({
        factory: (process: SimulatedProcess) => replicaOf(process, effects),
        inject: [KOPF_CLOCK as never],
      }),
  };
  return { module: LedModule, options };
}

const LED = replicasOf({ coordination: 'lease', lease: { name: 'led', namespace: 'default' } });

/** Runs plans with two replicas under a Lease, and expects that nothing is found, and that all faults happen. */
async function expectNoOverlap(plans: readonly SimulationPlan[]): Promise<void> {
  const { module, options } = LED;
  const report = await simulate(module, { ...options, plans });
  expect(report).toHaveNoFindings();
  expect(report.coverage.faults).toEqual(countFaults(plans));
}

// Renewals of the Lease are counted, too: the first replica leads, and nothing is handled before the twelfth change.
const CHANGES = points(12, 42, 3);
const WRITES = points(12, 54, 3);

describe('Replicas under a Lease', () => {
  it('should never handle one object at once when the leader crashes', async () => {
    await expectNoOverlap(crashes(WRITES, LONG));
  });

  it('should never handle one object at once when the leader is frozen for longer than the Lease lasts', async () => {
    await expectNoOverlap(freezes(WRITES, LONG));
  });

  it('should never handle one object at once when clocks jump while one takes over', async () => {
    const clocks = clockJumps(points(14, 34, 10), [-300, 300], [1, 2, undefined]);
    await expectNoOverlap(combine(clocks, freezes(points(13, 43, 10), LONG)));
  });

  it('should never handle one object at once with clocks that are hours apart while one takes over', async () => {
    const clocks = skews(points(14, 34, 20), [-7200, 7200], [1, 2]);
    await expectNoOverlap(combine(clocks, freezes([13, 33], LONG)));
  });

  it('should never lose the Lease by a short burst of 401', async () => {
    const { module, options } = LED;
    const plans = bursts(points(2, 42, 4), { seconds: 5 });
    const report = await simulate(module, { ...options, plans, sometimes: [theFirstLeads] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual(countFaults(plans));
  });

  it('should never handle one object at once when they are disconnected for longer than the Lease lasts', async () => {
    await expectNoOverlap(outages(CHANGES, LONG));
  });

  it('should never handle one object at once when the API server is behind as another one takes over', async () => {
    const faults = [...crashes(WRITES, LONG), ...freezes(WRITES, LONG)];
    const plans = await withHiddenTakeover(
      combine(lags(points(16, 36, 10), 'configmaps'), faults),
      LED.module,
      LED.options,
    );
    expect(plans.length).toBeGreaterThan(10);
    await expectNoOverlap(plans);
  });

  it('should be found to handle objects twice, without a Lease', async () => {
    const { module, options } = replicasOf({});
    const report = await simulate(module, { ...options, plans: [] });
    expect(report.findings.map(({ check }) => check)).toContain('overlap');
  });
});
