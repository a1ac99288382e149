import { Injectable } from '@nestjs/common';
import {
  Daemon,
  KopfSettings,
  OnCreate,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import { HandlerRegistry } from 'nestjs-kopf/tooling';
import type { CliEnvironment } from '../../../libs/kopf-cli/src/cli.environment.js';
import { ClusterConnection } from '../../../libs/kopf-cli/src/cluster.connection.js';
import { explainInCluster } from '../../../libs/kopf-cli/src/commands/explain.command.js';
import type { InspectedFinding } from '../../../libs/kopf-console/src/console.api.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { observeCluster } from '../../support/operators/observed.cluster.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { SeededRandom } from 'nestjs-kopf/testing';
import { ConsoleWorld, ShownOperator, type WorldOptions } from './console.world.js';

const RESOURCE = 'kopfexamples.kopf.dev';
const PATH = `objects/${RESOURCE}/ns/a`;
const LEASE = { coordination: 'lease', lease: { namespace: 'ns', name: 'shown' } } as const;

/** An operator whose handlers of changes are only for objects with a label. */
@Injectable()
class PickyOperator {
  readonly calls: string[] = [];

  @OnCreate(...KEX, { labels: { tier: 'gold' } })
  create({ name, retry }: ChangeContext) {
    this.calls.push(`create ${name} ${retry}`);
    throw new TemporaryError('Not yet.', { delay: 300 });
  }

  @OnUpdate(...KEX, { labels: { tier: 'gold' } })
  update({ name }: ChangeContext) {
    this.calls.push(`update ${name}`);
  }
}

/** An operator without handlers of changes, whose daemon and timer fail. */
@Injectable()
class BackgroundOperator {
  readonly calls: string[] = [];

  @OnCreate(...KEX)
  create() {}

  @Daemon(...KEX, { labels: { daemon: 'breaks' } })
  guard() {
    this.calls.push('guard');
    throw new PermanentError('No such disk.');
  }

  @Daemon(...KEX, { labels: { daemon: 'recovers' } })
  async recover({ retry, stopped }: DaemonContext) {
    this.calls.push(`recover ${retry}`);
    if (retry === 0) throw new TemporaryError('Not yet.', { delay: 2 });
    await stopped.wait();
  }

  @Timer(...KEX, { interval: 300, labels: { timer: 'fails' } })
  tick() {
    this.calls.push('tick');
    throw new TemporaryError('Not reachable.', { delay: 250 });
  }
}

/** A real situation of an object, with what the tools say of it, and what the operator does next. */
interface Situation extends Pick<WorldOptions, 'handlers' | 'options'> {
  /** Another replica of the operator, which is started first. */
  readonly leader?: boolean;
  /** The verbs that the operator has permissions for. @default all */
  readonly verbs?: readonly string[];
  readonly arrange: (world: ConsoleWorld) => Promise<unknown>;
  /** The answer of the console of the operator: the phase, and the codes of the findings; those of problems end with `!`. */
  readonly console: readonly [phase: string, ...codes: string[]];
  /** The findings of `kopf explain -m`, which knows the handlers, but not the process. @default those of the console */
  readonly explain?: readonly string[];
  /** The answer of `kopf console`, which sees the objects only. @default that of the console */
  readonly observed?: readonly [phase: string, ...codes: string[]];
  /** The handlers that are called in the next 400 seconds if nothing else happens. */
  readonly next: readonly string[];
}

const create =
  (spec: object, metadata: object = {}) =>
  (world: ConsoleWorld) =>
    world.harness.create('a', { spec: spec as never, metadata: metadata as never });

/** What is said of an object with nothing on it by tools that do not see the memory of the operator. */
const NOTHING_STORED = ['never-handled'] as const;

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'an object that was handled': { arrange: create({}), console: ['idle', 'handled'], next: [] },
  'an object whose handler is retried': {
    arrange: create({ fails: true }),
    console: ['failing', 'handler-waits'],
    next: ['create a 1'],
  },
  'an object whose handler has failed for good': {
    arrange: create({ breaks: true }),
    console: ['failed', 'handler-failed!', 'not-retried'],
    // The object does not show it any more; the text says so.
    explain: ['handled'],
    observed: ['idle', 'handled'],
    next: [],
  },
  'an object whose handler has failed for good, with events about it': {
    options: { posting: { loggers: true } },
    arrange: create({ breaks: true }),
    console: ['failed', 'handler-failed!', 'not-retried'],
    next: [],
  },
  'an object whose handler runs': {
    arrange: create({ hangs: true }),
    console: ['inWork', 'handler-running'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object whose handler does not return': {
    arrange: async (world) => {
      await create({ hangs: true })(world);
      await world.harness.advance(120);
    },
    console: ['stuck', 'handler-stuck!'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'a creation that an update has superseded': {
    arrange: async (world) => {
      await create({ fails: true })(world);
      await world.harness.advance(5);
      await world.harness.patch('a', { spec: { size: 2 } });
    },
    console: ['failing', 'handler-waits'],
    next: ['create a 1'],
  },
  'a deletion that waits for its handler': {
    arrange: async (world) => {
      await create({ holds: true })(world);
      await world.harness.advance(5);
      await world.harness.delete('a');
    },
    console: ['failing', 'deletion-waits-for-handlers', 'handler-waits'],
    next: ['remove a 1'],
  },
  'a deletion that another controller blocks': {
    arrange: async (world) => {
      await create({}, { finalizers: ['example.com/other'] })(world);
      await world.harness.advance(5);
      await world.harness.delete('a');
    },
    console: ['deleting', 'deletion-blocked-by-others'],
    next: [],
  },
  'an object of an operator that pauses': {
    arrange: async (world) => {
      await create({ fails: true })(world);
      await world.harness.advance(5);
      world.operator.pause('For a test.');
    },
    console: ['failing', 'operator-idle', 'handler-waits'],
    explain: ['handler-waits'],
    observed: ['failing', 'handler-waits'],
    next: [],
  },
  'an overdue attempt of an operator that pauses': {
    arrange: async (world) => {
      await create({ fails: true })(world);
      await world.harness.advance(5);
      world.operator.pause('For a test.');
      await world.harness.advance(400);
    },
    console: ['failing', 'operator-idle', 'handler-overdue'],
    explain: ['handler-overdue!'],
    observed: ['stuck', 'handler-overdue!'],
    next: [],
  },
  'an object of an operator that does not lead': {
    leader: true,
    options: LEASE,
    arrange: create({ fails: true }),
    console: ['failing', 'operator-idle', 'handler-waits'],
    explain: ['handler-waits'],
    observed: ['failing', 'handler-waits'],
    next: [],
  },
  'a new object of an operator that pauses': {
    arrange: async (world) => {
      world.operator.pause('For a test.');
      await create({})(world);
    },
    console: ['idle', 'operator-idle', 'never-handled'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object that no handler of changes selects': {
    handlers: [PickyOperator],
    arrange: create({}),
    console: ['idle', 'not-selected'],
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object that handlers do not select any more': {
    handlers: [PickyOperator],
    arrange: async (world) => {
      await create({}, { labels: { tier: 'gold' } })(world);
      await world.harness.advance(5);
      await world.harness.patch('a', { metadata: { labels: { tier: 'iron' } } });
    },
    console: ['idle', 'not-selected'],
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object in a namespace that the operator does not serve': {
    options: { namespaces: ['other'] },
    arrange: create({}),
    console: ['idle', 'not-seen!', 'never-handled'],
    explain: ['never-handled', 'namespace-not-served!'],
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object that the operator may not watch': {
    verbs: ['get', 'list', 'create', 'patch'],
    arrange: create({}),
    console: ['idle', 'not-seen!', 'never-handled'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object that the operator may not patch': {
    verbs: ['get', 'list', 'watch', 'create'],
    arrange: async (world) => {
      await create({})(world);
      await world.harness.advance(120);
    },
    console: ['stuck', 'state-not-stored!'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object whose patches the API server rejects': {
    arrange: async (world) => {
      const fault = { verb: 'patch', resource: RESOURCE, message: 'denied', times: Infinity } as const;
      world.harness.kube.faults.reject(403, fault);
      await create({})(world);
      await world.harness.advance(120);
    },
    console: ['stuck', 'state-not-stored!'],
    explain: NOTHING_STORED,
    observed: ['idle', 'never-handled'],
    next: [],
  },
  'an object whose daemon has failed for good': {
    handlers: [BackgroundOperator],
    arrange: create({}, { labels: { daemon: 'breaks' } }),
    console: ['failed', 'daemon-failed!', 'handled'],
    // Nothing of a daemon is stored.
    explain: ['handled'],
    observed: ['idle', 'handled'],
    next: [],
  },
  'an object whose daemon has failed, and runs again': {
    handlers: [BackgroundOperator],
    arrange: create({}, { labels: { daemon: 'recovers' } }),
    console: ['idle', 'handled'],
    next: [],
  },
  'an object whose timer fails, and is called again': {
    handlers: [BackgroundOperator],
    arrange: create({}, { labels: { timer: 'fails' } }),
    console: ['failing', 'daemon-waits', 'handled'],
    explain: ['handled'],
    observed: ['idle', 'handled'],
    next: ['tick'],
  },
};

const NAME = { apiGroup: 'rbac.authorization.k8s.io', name: 'operator' };

/** Starts the operator of a situation, with its console. */
async function startWorld({ handlers, options, leader = false, verbs }: Situation): Promise<ConsoleWorld> {
  const users = { limited: { name: NAME.name, groups: ['system:authenticated'] } };
  const harness = await OperatorHarness.start(verbs && { kube: { authorization: 'rbac', users } });
  if (leader) await harness.run(ShownOperator, { ...options, admission: { server: new StubAdmissionServer({}) } });
  if (!verbs) return ConsoleWorld.start({ harness, handlers, options });
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs }];
  const path = '/apis/rbac.authorization.k8s.io/v1';
  await harness.send('POST', `${path}/clusterroles`, { metadata: { name: NAME.name }, rules });
  await harness.send('POST', `${path}/clusterrolebindings`, {
    metadata: { name: NAME.name },
    subjects: [{ kind: 'User', ...NAME }],
    roleRef: { kind: 'ClusterRole', ...NAME },
  });
  const credentials = { server: 'http://embedded', transport: harness.kube.transport('limited') };
  return ConsoleWorld.start({ harness, handlers, options: { ...options, credentials } });
}

/** Explains the object as `kopf explain -m` does, with the handlers of the operator, and the rights of an administrator. */
async function explainByCommand({ harness, served }: ConsoleWorld, { options = {} }: Situation) {
  const { clock } = harness;
  const environment = { clock, random: new SeededRandom(5) } as unknown as CliEnvironment;
  const info = { server: 'http://embedded', transport: harness.kube.transport() };
  const cluster = new ClusterConnection(async () => new Map([['test', info]]), environment, new MemoryLogger());
  onTestFinished(() => cluster.close());
  const operator = { registry: served.find(HandlerRegistry), settings: served.find(KopfSettings), options };
  const reference = [RESOURCE, 'a'] as const;
  return clock.runUntil(
    explainInCluster({ cluster, reference, namespace: 'ns', peering: 'default', operator }, environment),
  );
}

const codesOf = (findings: readonly InspectedFinding[]): readonly string[] =>
  findings.map(({ code, problem }) => (problem ? `${code}!` : code));

describe('The console, kopf explain, and kopf console, of real objects,', () => {
  it.each(Object.entries(SITUATIONS))('should say what is true of %s', async (_what, situation) => {
    const { arrange, console: shown, explain = shown.slice(1), observed = shown, next } = situation;
    const world = await startWorld(situation);
    await arrange(world);
    await world.harness.advance(5);
    const { object, findings } = await world.get(PATH);
    expect([object.phase, ...codesOf(findings)]).toEqual(shown);
    expect(codesOf((await explainByCommand(world, situation)).findings)).toEqual(explain);
    const source = await observeCluster(world.harness);
    const details = await source.object(
      { resource: RESOURCE, namespace: 'ns', name: 'a' },
      new AbortController().signal,
    );
    expect([details.object.phase, ...codesOf(details.findings)]).toEqual(observed);

    const operator = world.served.find<{ readonly calls: string[] }>(
      (situation.handlers?.[0] ?? ShownOperator) as typeof ShownOperator,
    );
    const before = operator.calls.length;
    const due = findings.find(({ code }: InspectedFinding) => code.endsWith('-waits'))?.at;
    if (next.length > 0) {
      // Until the time that the sentence names, nothing happens; then, it does.
      await world.harness.advance((due - world.harness.clock.now()) / 1000 - 1);
      expect(operator.calls.slice(before)).toEqual([]);
      await world.harness.advance(2);
      expect(operator.calls.slice(before)).toEqual(next);
    }
    await world.harness.advance(Math.max(0, 400 - (due === undefined ? 0 : 300)));
    expect(operator.calls.slice(before)).toEqual(next);
    if (operator instanceof ShownOperator) operator.go();
  });
});

/** What is done about a sentence, as it says itself, and the handlers that are called then. */
interface Remedy {
  /** The situation in which the sentence is said. */
  readonly situation: keyof typeof SITUATIONS;
  /** A part of what the sentence says would change it. */
  readonly says: string;
  readonly apply: (world: ConsoleWorld) => Promise<unknown>;
  readonly calls: readonly string[];
}

const REMEDIES: Readonly<Record<string, Remedy>> = {
  'not-selected': {
    situation: 'an object that no handler of changes selects',
    says: 'Labels, annotations, or fields that the filters of a handler want.',
    apply: ({ harness }) => harness.patch('a', { metadata: { labels: { tier: 'gold' } } }),
    calls: ['create a 0'],
  },
  'handler-waits': {
    situation: 'an object whose handler is retried',
    says: 'a change of the object does not make it earlier',
    apply: ({ harness }) => harness.patch('a', { spec: { field: 'x' } }),
    calls: [],
  },
  'not-retried': {
    situation: 'an object whose handler has failed for good',
    says: 'A change of the object that a handler is for',
    apply: ({ harness }) => harness.patch('a', { spec: { field: 'x' } }),
    calls: ['update a'],
  },
  'operator-idle': {
    situation: 'a new object of an operator that pauses',
    says: 'when the reason is gone',
    apply: async ({ operator }) => operator.resume(),
    calls: ['create a 0'],
  },
  'handler-stuck': {
    situation: 'an object whose handler does not return',
    says: 'It has to return',
    apply: async ({ served, harness }) => {
      await harness.patch('a', { spec: { field: 'x', hangs: null } });
      served.find(ShownOperator).go();
    },
    calls: ['update a'],
  },
  'state-not-stored': {
    situation: 'an object whose patches the API server rejects',
    says: 'it is tried again from time to time',
    apply: async ({ harness }) => {
      harness.kube.faults.clear();
      await harness.advance(600);
    },
    calls: [],
  },
};

describe('What would change a sentence', () => {
  it.each(Object.entries(REMEDIES))('should change it: %s', async (code, { situation, says, apply, calls }) => {
    const arranged = SITUATIONS[situation];
    const world = await startWorld(arranged);
    await arranged.arrange(world);
    await world.harness.advance(5);
    const said = async (): Promise<InspectedFinding | undefined> =>
      (await world.get(PATH)).findings.find((finding: InspectedFinding) => finding.code === code);
    expect((await said())?.remedy).toContain(says);
    const operator = world.served.find<{ readonly calls: string[] }>(
      (arranged.handlers?.[0] ?? ShownOperator) as typeof ShownOperator,
    );
    const before = operator.calls.length;
    await apply(world);
    await world.harness.advance(5);
    expect(operator.calls.slice(before)).toEqual(calls);
    if (code === 'handler-waits') expect(await said()).toBeDefined();
    else expect(await said()).toBeUndefined();
  });
});
