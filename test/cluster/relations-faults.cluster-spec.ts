import { readFileSync } from 'node:fs';
import {
  OnChild,
  OnReference,
  References,
  SystemClock,
  Timer,
  type ChildContext,
  type KopfModuleOptions,
  type KubeObject,
  type ReferenceContext,
  type TimerContext,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { GivenLogin } from '../../libs/kopf/src/client/vault/given.login.js';
import { define } from '../support/clusters/cluster.access.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { RandomChoices } from '../support/generators/random.choices.js';
import { startSides, type AdmittingSide } from './admission.sides.js';
import { TcpProxy } from './tcp.proxy.js';

const EXAMPLES = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const OBJECTS = ['a', 'b', 'c', 'd'];
const NAMES = ['x', 'y', 'z'];

/** The number of times that each fault is injected: more on demand, by the environment variable `FAULTS`. */
const ROUNDS = Number(process.env.FAULTS ?? 3);

/** An operator whose handlers store what they see, and the calls of its timer: seconds of the wall clock, by the objects. */
function recordingOperator() {
  const ticks = new Map<string, number[]>();

  @References('spec.secretRef', 'secrets')
  class Operator {
    @OnReference('kopfexamples.kopf.dev', { condition: 'ReferencesResolved' })
    follow({ referents, patch }: ReferenceContext) {
      patch.status.secret = referents[0]?.resourceVersion ?? null;
    }

    @OnChild('kopfexamples.kopf.dev', 'configmaps')
    count({ children, patch }: ChildContext) {
      const names = children.map(({ name }) => name);
      patch.status.children = names.sort().join();
    }

    @Timer('kopfexamples.kopf.dev', { cron: '* * * * * *' })
    tick({ uid, started, patch }: TimerContext) {
      const seconds = Math.floor(started.getTime() / 1000);
      if (!ticks.has(uid)) ticks.set(uid, []);
      ticks.get(uid)!.push(seconds);
      patch.status.ticked = seconds;
    }
  }
  return { Operator, ticks };
}

/** Creates, changes, and deletes secrets and children at random, and lets objects refer to others. */
class RestlessUser {
  private readonly choices: RandomChoices;

  constructor(
    private readonly user: ClusterUser,
    seed: number,
  ) {
    this.choices = new RandomChoices(new SeededRandom(seed));
  }

  async work(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await this.choices.weighted<Promise<unknown>>([
        [3, () => this.putSecret(this.choices.pick(NAMES))],
        [2, () => this.user.delete(`${SECRETS}/${this.choices.pick(NAMES)}`)],
        [2, () => this.refer(this.choices.pick(OBJECTS))],
        [2, () => this.putChild(this.choices.pick(OBJECTS), this.choices.pick(NAMES))],
        [1, () => this.user.delete(`${MAPS}/${this.choices.pick(OBJECTS)}-${this.choices.pick(NAMES)}`)],
      ]);
    }
  }

  private refer(name: string): Promise<KubeObject> {
    return this.user.patch(`${EXAMPLES}/${name}`, { spec: { secretRef: this.choices.pick(NAMES) } });
  }

  private async putSecret(name: string): Promise<void> {
    const stringData = { key: String(this.choices.between(0, 1_000_000)) };
    const found = await this.user.get(`${SECRETS}/${name}`);
    await (found
      ? this.user.patch(`${SECRETS}/${name}`, { stringData })
      : this.user.create(SECRETS, { metadata: { name }, stringData }));
  }

  private async putChild(parent: string, suffix: string): Promise<void> {
    const name = `${parent}-${suffix}`;
    if (await this.user.get(`${MAPS}/${name}`)) return;
    const { apiVersion, kind, metadata } = (await this.user.get(`${EXAMPLES}/${parent}`))!;
    const owner = { apiVersion, kind, name: parent, uid: metadata.uid, controller: true };
    await this.user.create(MAPS, { metadata: { name, ownerReferences: [owner] } });
  }
}

/** Compares what each status says with what it is to say of the cluster as it is now. */
async function compareStatus(user: ClusterUser): Promise<{ readonly expected: object; readonly found: object }> {
  const [examples, secrets, maps] = await Promise.all([user.list(EXAMPLES), user.list(SECRETS), user.list(MAPS)]);
  const versions = new Map(secrets.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  const expected = examples.map(({ metadata: { name, uid }, spec }) => {
    const secret = versions.get((spec as { secretRef?: string }).secretRef);
    const children = maps
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .map(({ metadata }) => metadata.name)
      .sort()
      .join();
    return { name, secret, resolved: secret === undefined ? 'False' : 'True', children };
  });
  const found = examples.map(({ metadata: { name }, status }) => {
    const { secret, children = '', conditions = [] } = (status ?? {}) as Record<string, any>;
    const resolved = conditions.find(({ type }: { type: string }) => type === 'ReferencesResolved')?.status;
    return { name, secret, resolved, children };
  });
  return { expected, found };
}

describe('References, children, and schedules while connections break and operators restart', () => {
  let sides: readonly AdmittingSide[];

  beforeAll(async () => {
    sides = await startSides();
    for (const { user } of sides) await define(user, { statusSubresource: true });
  }, 240_000);

  afterAll(() => Promise.all((sides ?? []).map((side) => side.stop())));

  it.each(['real', 'embedded'] as const)('should end with what the cluster is like: %s', async (name) => {
    const { user, kubeconfigPath } = sides.find((side) => side.name === name)!;
    const connection = await new GivenLogin(readFileSync(kubeconfigPath, 'utf8'), new SystemClock()).login();
    const proxy = await TcpProxy.start(connection.server);
    onTestFinished(() => proxy.goDown());
    for (const each of OBJECTS) {
      const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: each } };
      await user.create(EXAMPLES, { ...example, spec: { secretRef: 'x' } });
    }
    const { Operator, ticks } = recordingOperator();
    const options: KopfModuleOptions = {
      credentials: { ...connection, server: proxy.url },
      peering: { standalone: true },
      watching: { inactivityTimeout: 1.5 },
      networking: { requestTimeout: 2, errorBackoffs: [0.1, 0.2, 0.5, 1, 1, 1, 1, 2, 2, 2, 3, 3] },
      queueing: { errorDelays: [0.5, 1] },
    };
    let operator = await LocalOperator.start(Operator, options);
    onTestFinished(() => operator.stop());
    const restless = new RestlessUser(user, 1);
    const settle = async (fault: string): Promise<void> => {
      let last: Awaited<ReturnType<typeof compareStatus>> | undefined;
      const isSettled = async (): Promise<boolean> => {
        last = await compareStatus(user);
        return JSON.stringify(last.found) === JSON.stringify(last.expected);
      };
      // What is not as it should be is shown, not only that time is up.
      await eventually(fault, isSettled, 60).catch(() => expect(last?.found, fault).toEqual(last?.expected));
      const now = Math.floor(Date.now() / 1000);
      await eventually(`the timers go on after ${fault}`, () =>
        [...ticks.values()].every((seconds) => seconds.at(-1)! > now),
      );
    };
    const restart = async (): Promise<void> => {
      await operator.stop();
      await restless.work(15);
      operator = await LocalOperator.start(Operator, options);
    };
    const outage = async (): Promise<void> => {
      await proxy.goDown();
      await restless.work(15);
      await proxy.comeBack();
    };
    const faults: readonly (readonly [string, () => void | Promise<void>])[] = [
      ['connections that are reset', () => proxy.cut()],
      ['connections that break in the middle', () => proxy.cutMidway()],
      ['connections that fall silent', () => proxy.stall()],
      ['a server that is away', outage],
      ['a restart of the operator', restart],
    ];
    await restless.work(10);
    await settle('the start');
    for (const [fault, inflict] of faults) {
      for (let round = 0; round < ROUNDS; round += 1) {
        await restless.work(5);
        await inflict();
        await restless.work(5);
      }
      await settle(fault);
    }

    // No time of the schedule comes twice, neither for broken connections nor over restarts.
    const repeated = [...ticks.values()].filter((seconds) => new Set(seconds).size !== seconds.length);
    expect(repeated).toEqual([]);
    const uid = (await user.get(`${EXAMPLES}/a`))!.metadata.uid!;
    await user.delete(`${EXAMPLES}/a`);
    await eventually('the object has gone', async () => (await user.get(`${EXAMPLES}/a`)) === undefined);
    const count = ticks.get(uid)!.length;
    const others = [...ticks.entries()].filter(([key]) => key !== uid).map(([, seconds]) => seconds);
    const before = others.map((seconds) => seconds.length);
    await eventually('the other timers go on', () =>
      others.every((seconds, index) => seconds.length > before[index] + 1),
    );
    expect(ticks.get(uid)).toHaveLength(count);
  });
});
