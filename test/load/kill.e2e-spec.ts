import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import {
  KopfModule,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type Clock,
  type KopfModuleOptions,
  type KubeObject,
  type KubeTransport,
} from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { ClusterUser, customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { SilentLogger } from '../support/telemetry/memory.logger.js';
import { isHandled } from '../support/operators/stored.progress.js';
import { RandomChoices } from '../support/generators/random.choices.js';
import { FlakyTransport } from './flaky.transport.js';
import { HandlingLedger } from './handling.ledger.js';
import { makeKillOperator, type Act } from './kill.operator.js';
import { KillableProcess } from './killable.process.js';
import { ObjectChurn } from './object.churn.js';
import { byForm } from '../support/runner/test.form.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const EXAMPLES = { group: 'kopf.dev', plural: 'kopfexamples' };
const KILLS = Number(process.env.KILLS ?? byForm({ short: 40, long: 200 }));
const SEED = Number(process.env.SEED ?? 1);

/** Why an operator dies: at any time, or with one of its write requests, or in the middle of a handler. */
type Death = 'anytime' | 'before' | 'after' | 'handler';

const DEATHS: readonly Death[] = ['anytime', 'before', 'after', 'handler'];

/** A cluster in this process, on virtual time, in which operators live and die. */
class World {
  readonly clock = new VirtualClock();
  readonly choices: RandomChoices;
  readonly ledger: HandlingLedger;
  readonly deaths: Record<Death, number> = { anytime: 0, before: 0, after: 0, handler: 0 };
  /** The value that the last finished handler of an object has seen. */
  readonly seen = new Map<string, number>();
  calls = 0;
  /** The number of processes that were started to be killed. */
  private lives = 0;
  kube: EmbeddedKube;
  user: ObjectChurn;

  /** Counts the connections that have broken. */
  broken = 0;

  constructor(
    private readonly seed: number,
    private readonly deletion: NonNullable<KopfModuleOptions['deletion']>,
    /** The probability that a connection breaks before a write arrives, or before its answer comes back. */
    private readonly breakage: number,
  ) {
    this.ledger = new HandlingLedger(deletion.progress === 'keep');
    this.choices = new RandomChoices(new SeededRandom(seed));
  }

  async begin(statusSubresource: boolean): Promise<void> {
    this.kube = await EmbeddedKube.start({
      clock: this.clock,
      random: new SeededRandom(this.seed + 1),
      port: false,
    });
    const cluster = new ClusterUser(this.kube.transport());
    await cluster.create(DEFINITIONS, customResource({ statusSubresource }));
    await this.clock.advance(1000);
    this.kube.client.watch(EXAMPLES, ({ type, object }) => {
      if (type !== 'DELETED') this.ledger.note(object as KubeObject);
    });
    this.user = new ObjectChurn(cluster, OBJECTS, this.choices);
  }

  async end(): Promise<void> {
    const stopping = this.kube.stop();
    await this.clock.advance(5000);
    await stopping;
  }

  /** Lets an operator live, while the user is busy, until it is killed. */
  async liveAndDie(): Promise<void> {
    // In turn, so that each way occurs equally often, however few kills there are.
    const death = DEATHS[this.lives++ % DEATHS.length];
    let left = this.choices.between(1, death === 'anytime' ? 8 : 25);
    const killAt = (kind: Death): void => {
      if (kind !== death || !life.alive || --left > 0) return;
      life.kill();
      this.deaths[death]++;
    };
    const life = new KillableProcess(this.clock, this.connect(), killAt);
    await this.startOperator(life, killAt);
    while (life.alive) {
      await this.clock.advance(this.choices.between(1, 1200));
      if (!life.alive) break;
      await this.user.act();
      killAt('anytime');
    }
  }

  /** Lets an operator live until everything is handled. */
  async runUntilSettled(): Promise<KillableProcess> {
    const life = new KillableProcess(this.clock, this.kube.transport());
    await this.user.stay(5);
    await this.startOperator(life);
    for (let minute = 0; minute < 60 && !this.isSettled(); minute++) await this.clock.advance(60_000);
    return life;
  }

  list(): readonly KubeObject[] {
    return this.kube.client.list(EXAMPLES, 'default') as readonly KubeObject[];
  }

  private connect(): KubeTransport {
    return new FlakyTransport(this.kube.transport(), this.choices, this.breakage, () => this.broken++);
  }

  private isSettled(): boolean {
    return this.list().every((object) => !object.metadata.deletionTimestamp && isHandled(object));
  }

  private async startOperator(life: KillableProcess, killAt: (death: Death) => void = () => undefined): Promise<void> {
    const act: Act = async (handler, context) => {
      this.calls++;
      this.ledger.called({ handler, reason: context.reason, uid: context.uid });
      await pause(life.clock, this.choices.withProbability(0.5) ? 0 : this.choices.between(1, 600));
      killAt('handler');
      await pause(life.clock, 0);
      return this.outcome(context);
    };
    const { transport, clock } = life;
    const random = new SeededRandom(this.choices.between(0, 1e9));
    const module = await Test.createTestingModule({
      imports: [
        KopfModule.forRoot({
          clock,
          random,
          credentials: { server: 'http://embedded', transport },
          posting: { enabled: false },
          deletion: this.deletion,
        }),
      ],
      providers: [makeKillOperator(act)],
    })
      .setLogger(new SilentLogger())
      .compile();
    void module.init();
    await this.clock.settle();
  }

  private outcome({ spec, uid }: ChangeContext): unknown {
    if (this.choices.withProbability(0.3))
      throw new TemporaryError('not yet', { delay: this.choices.between(0, 30) / 10 });
    if (this.choices.withProbability(0.1)) throw new Error('something went wrong');
    this.seen.set(uid, spec.value);
    if (this.choices.withProbability(0.05)) throw new PermanentError('never');
    return { value: spec.value };
  }
}

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(resolve, milliseconds));
}

describe.each([
  { statusSubresource: false, progress: 'purge', breakage: 0 },
  { statusSubresource: true, progress: 'purge', breakage: 0 },
  { statusSubresource: true, progress: 'keep', breakage: 0.05 },
] as const)('an operator that is killed again and again: %j', ({ statusSubresource, progress, breakage }) => {
  const world = new World(SEED, { progress }, breakage);

  beforeAll(async () => {
    await world.begin(statusSubresource);
    for (let kill = 0; kill < KILLS; kill++) await world.liveAndDie();
    const life = await world.runUntilSettled();
    life.kill();
  }, 180_000);

  afterAll(() => world.end());

  it(`should have been killed ${KILLS} times, in all ways, with seed ${SEED}`, () => {
    const counts = Object.values(world.deaths);
    expect(counts.reduce((sum, count) => sum + count)).toBe(KILLS);
    for (const count of counts) expect(count).toBeGreaterThan(KILLS / 8);
    expect(world.calls).toBeGreaterThan(KILLS * 3);
    expect(world.user.deleted.size).toBeGreaterThan(KILLS / 5);
    if (breakage) expect(world.broken).toBeGreaterThan(KILLS / 5);
  });

  it('should have handled every object for its last state', () => {
    const objects = world.list();
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(world.user.present.keys()));
    expect(objects.length).toBeGreaterThanOrEqual(5);
    for (const object of objects) {
      expect(object).toSatisfy(isHandled);
      expect(object.spec).toEqual({ value: world.user.present.get(object.metadata.name!) });
      expect(world.seen.get(object.metadata.uid!)).toBe(object.spec.value);
    }
  });

  it('should have let go of every deleted object', () => {
    const names = world.list().map(({ metadata }) => metadata.name!);
    expect(names.filter((name) => world.user.deleted.has(name))).toEqual([]);
  });

  it('should never have repeated a handler that was recorded as finished', () => {
    expect(world.ledger.repetitions).toEqual([]);
  });
});
