import { Inject, Injectable, Module } from '@nestjs/common';
import {
  KOPF_CLOCK,
  KopfModule,
  OnCreate,
  OnStartup,
  OnUpdate,
  type ActivityContext,
  type ChangeContext,
  type Clock,
} from 'nestjs-kopf';
import { simulate, type SimulatedState, type SimulatedUser, type SimulationOptions } from 'nestjs-kopf-simulation';
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

/** The annotation by which handlers say who they are, so that what a process stores after another one's takeover is never the same. */
const HANDLED_BY = 'example.com/handled-by';

/** Knows the priority of a process, and whose handlers were called, which take some time. */
class Peer {
  priority = 0;
  seconds = 0;
  onCall = (_priority: number): void => {};
}

@Injectable()
class PeerOperator {
  constructor(
    @Inject(Peer) private readonly peer: Peer,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnStartup()
  configure({ settings }: ActivityContext) {
    settings.peering.priority = this.peer.priority;
  }

  @OnCreate('configmaps.v1', CLAIMS)
  @OnUpdate('configmaps.v1', CLAIMS)
  async handle({ patch }: ChangeContext) {
    const { priority, seconds } = this.peer;
    this.peer.onCall(priority);
    if (seconds > 0) await new Promise<void>((resolve) => void this.clock.setTimer(resolve, seconds * 1000));
    patch.metadata.annotations[HANDLED_BY] = String(priority);
  }
}

@Module({
  imports: [KopfModule.forRoot({ peering: { name: 'peers', mandatory: true } })],
  providers: [PeerOperator, Peer],
})
class PeersModule {}

/** The clock of a process, which ends with it. */
interface SimulatedProcess {
  readonly isDead: boolean;
}

/** The priorities of the operators whose handlers were called, in their order. */
function callsOf({ effects }: SimulatedState): number[] {
  return (effects.memory.get('calls') ?? []) as number[];
}

function highestWorksInTheEnd(state: SimulatedState) {
  return callsOf(state).at(-1) === 100 || callsOf(state).join();
}

function theOtherTakesOver(state: SimulatedState) {
  return callsOf(state).includes(0);
}

function oneWorks(state: SimulatedState) {
  return callsOf(state).length > 0;
}

function theOtherWaits(state: SimulatedState) {
  return !callsOf(state).includes(0) || callsOf(state).join();
}

/** Changes a claim twice, without waiting for a killed process to restart: other processes are to take over before. */
async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(claim);
  await kube.advance(150);
  await kube.patch(claim, { data: { size: '2' } });
  await kube.advance(150);
  await kube.patch(claim, { data: { size: '3' } });
  await kube.advance(150);
}

/**
 * Makes the options of two processes with the given priorities. One that is started after a crash has the priority of the one that has crashed.
 *
 * @param seconds that each call of a handler takes.
 */
function peersWith(priorities: readonly [number, number], seconds = 0): SimulationOptions {
  return {
    workload,
    replicas: 2,
    ignore: [/handled-by/],
    world: {
      manifests: 'k8s/peering.yaml',
      objects: [{ apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'peers' } }],
    },
    override: (builder, { memory }) => {
      const peers = (memory.get('peers') ?? []) as SimulatedProcess[];
      const calls = (memory.get('calls') ?? []) as number[];
      memory.set('peers', peers).set('calls', calls);
      const factory = (process: SimulatedProcess): Peer => {
        const index = peers.length < priorities.length ? peers.length : peers.findIndex(({ isDead }) => isDead);
        peers[index] = process;
        return { priority: priorities[index], seconds, onCall: (priority) => void calls.push(priority) };
      };
      builder.overrideProvider(Peer).useFactory({ factory, inject: [KOPF_CLOCK as never] });
    },
  };
}

/** Runs two processes with the given priorities. @param seconds that each call of a handler takes. */
function simulatePeers(priorities: readonly [number, number], options: Partial<SimulationOptions>, seconds = 0) {
  return simulate(PeersModule, { ...peersWith(priorities, seconds), ...options });
}

describe('Peers under simulation', () => {
  it('should let the one of the highest priority work, and no other one beside it', async () => {
    const report = await simulatePeers([100, 0], {
      always: [theOtherWaits],
      eventually: [highestWorksInTheEnd],
      plans: [],
    });
    expect(report).toHaveNoFindings();
  });

  it('should let another one take over when the record of a killed one has expired, until it is back', async () => {
    const report = await simulatePeers([100, 0], {
      eventually: [highestWorksInTheEnd],
      sometimes: [theOtherTakesOver],
      plans: crashes(points(1, 6), 200),
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ crash: 6 });
  });

  it('should let another one take over from a frozen one, which leaves alone what was taken over', async () => {
    const report = await simulatePeers([100, 0], {
      eventually: [highestWorksInTheEnd],
      sometimes: [theOtherTakesOver],
      plans: freezes(points(1, 10), 200),
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ freeze: 10 });
  });

  it('should store nothing that one had begun before it was frozen, when another one has taken over', async () => {
    // The handler takes longer than the pauses between keep-alives, after some of which the process is frozen: until the other one is done.
    const once = async (kube: SimulatedUser): Promise<void> => {
      await kube.apply(claim);
      await kube.advance(600);
    };
    const options = { workload: once, sometimes: [theOtherTakesOver], plans: freezes(points(1, 10), 200) };
    const report = await simulatePeers([100, 0], options, 70);
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ freeze: 10 });
  });

  it('should let the one of the highest priority work, and no other one beside it, when clocks are corrected', async () => {
    const report = await simulatePeers([100, 0], {
      always: [theOtherWaits],
      eventually: [highestWorksInTheEnd],
      // Records are renewed at least five seconds before they expire: as far apart may clocks be.
      plans: [...clockJumps(points(1, 10), [-4, 4], [1, 2]), ...clockJumps(points(1, 10), [-3600], [undefined])],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ 'clock-jump': 50 });
  });

  it('should let the one of the highest priority work, and no other one beside it, with clocks that are hours apart', async () => {
    const plans = skews(points(2, 10, 4), [-7200, 7200], [1, 2]);
    const report = await simulatePeers([100, 0], {
      always: [theOtherWaits],
      eventually: [highestWorksInTheEnd],
      plans,
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual(countFaults(plans));
  });

  it('should let the one of the highest priority work all the time, whatever bursts of 401 there are', async () => {
    const plans = bursts(points(1, 10), { times: 5 });
    const report = await simulatePeers([100, 0], { always: [theOtherWaits], plans });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual(countFaults(plans));
  });

  it('should let the one of the highest priority work in the end when all records expire at once', async () => {
    const report = await simulatePeers([100, 0], {
      eventually: [highestWorksInTheEnd],
      // The others take over until it has renewed its record, and may have a handler at work then.
      oracles: { overlap: false },
      plans: clockJumps(points(1, 10), [3600], [undefined]),
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ 'clock-jump': 10 });
  });

  it('should let the one of the highest priority work in the end when the API server is behind as another one takes over', async () => {
    const faults = [...crashes(points(1, 10), 200), ...freezes(points(1, 10), 200)];
    const late = combine(lags(points(4, 12, 2), 'configmaps'), faults);
    const plans = await withHiddenTakeover(late, PeersModule, peersWith([100, 0]));
    expect(plans.length).toBeGreaterThan(10);
    const report = await simulatePeers([100, 0], { eventually: [highestWorksInTheEnd], plans });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual(countFaults(plans));
  });

  it('should let the one of the highest priority work in the end when they see the records of each other late', async () => {
    const faults = [...crashes(points(1, 9, 2), 200), ...freezes(points(1, 9, 2), 200)];
    const plans = combine(lags(points(3, 12, 3), 'clusterkopfpeerings.kopf.dev'), faults);
    const report = await simulatePeers([100, 0], {
      eventually: [highestWorksInTheEnd],
      sometimes: [theOtherTakesOver],
      plans,
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual(countFaults(plans));
  });

  it('should let two of the same priority pause, until one of them is gone', async () => {
    const report = await simulatePeers([50, 50], {
      sometimes: [oneWorks],
      plans: [...crashes(points(1, 6), 200), ...freezes(points(1, 6), 200), ...outages(points(1, 6), 200)],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ crash: 6, freeze: 6, outage: 6 });
  });
});
