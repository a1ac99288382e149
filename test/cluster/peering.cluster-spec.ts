import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import {
  KopfModule,
  KopfOperator,
  OnCreate,
  OnUpdate,
  type ChangeContext,
  type KopfModuleOptions,
  type KubeObject,
} from 'nestjs-kopf';
import { hashOf } from '../../libs/embedded-kube/src/machinery/shard.selector.js';
import { KOPF_LOGGER } from '../../libs/kopf/src/kopf.tokens.js';
import { TestProcess } from '../support/programs/child.process.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { MemoryLogger } from '../support/telemetry/memory.logger.js';
import { installPythonKopf } from '../support/operators/python.kopf.js';
import { isHandled } from '../support/operators/stored.progress.js';
import {
  administrator,
  CLUSTER_PEERINGS,
  credentialsOf,
  define,
  definePeering,
} from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

type Records = Record<string, Record<string, unknown>>;

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const SCRIPT = join(import.meta.dirname, 'fixtures/peering_operator.py');

let python: string;
let cluster: ControlPlane;
let user: ClusterUser;
let folder: string;
let count = 0;

beforeAll(async () => {
  python = await installPythonKopf();
  cluster = await startControlPlane({ controllers: false, featureGates: 'ShardedListAndWatch=true' });
  user = administrator(cluster);
  folder = mkdtempSync(join(tmpdir(), 'peering-'));
  await define(user);
  await definePeering(user);
}, 300_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// Operators that a test has killed are still there.
beforeEach(() => user.patch(`${CLUSTER_PEERINGS}/default`, { status: null }));

async function records(): Promise<Records> {
  return ((await user.get(`${CLUSTER_PEERINGS}/default`))?.status ?? {}) as Records;
}

/** Python's Kopf; stopped with the test. */
async function startKopf(priority: number, env: Record<string, string> = {}) {
  const file = join(folder, `calls-${++count}`);
  writeFileSync(file, '');
  const identity = `kopf-${count}`;
  const args = ['-m', 'kopf', 'run', '--all-namespaces', `--priority=${priority}`, '--verbose', SCRIPT];
  const variables = { KUBECONFIG: cluster.kubeconfigPath, CALLS_FILE: file, POD_ID: identity, ...env };
  const process = new TestProcess(python, args, variables);
  onTestFinished(() => process.kill());
  await eventually('Kopf has joined', async () => {
    process.check();
    return identity in (await records());
  });
  const names = (): string[] => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { name: string }).name).sort();
  };
  return { process, identity, names };
}

/** Our operator, in this process; stopped with the test. */
async function startOurs(priority: number, options: KopfModuleOptions = {}) {
  const handled: string[] = [];
  class Operator {
    @OnCreate('kopf.dev/v1', 'kopfexamples')
    create({ name }: ChangeContext) {
      handled.push(name);
    }

    @OnUpdate('kopf.dev/v1', 'kopfexamples')
    update({ name }: ChangeContext) {
      handled.push(name);
    }
  }
  const identity = `ours-${++count}`;
  const peering = { priority, identity, ...options.peering };
  const logger = new MemoryLogger();
  const module = await Test.createTestingModule({
    imports: [KopfModule.forRoot({ credentials: credentialsOf(cluster), ...options, peering })],
    providers: [Operator],
  })
    .overrideProvider(KOPF_LOGGER)
    .useValue(logger)
    .setLogger(false as never)
    .compile();
  await module.init();
  let closing: Promise<void> | undefined;
  const stop = (): Promise<void> => (closing ??= module.close());
  onTestFinished(stop);
  const operator = module.get(KopfOperator);
  await operator.ready();
  const names = (): string[] => [...handled].sort();
  return { operator, identity, names, logger, stop };
}

/** Creates an object, and returns its uid, which decides on its shard. */
async function create(name: string): Promise<string> {
  const { metadata } = await user.create(OBJECTS, {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name },
    spec: { field: 'v1' },
  });
  onTestFinished(() => user.delete(`${OBJECTS}/${name}`));
  return metadata.uid!;
}

function untilHandled(name: string): Promise<KubeObject> {
  return eventually(`${name} is handled`, async () => {
    const object = await user.get(`${OBJECTS}/${name}`);
    return object && isHandled(object) && object;
  });
}

function untilState({ operator }: { operator: KopfOperator }, state: string, seconds?: number): Promise<unknown> {
  return eventually(`the operator is ${state}`, () => operator.state === state, seconds);
}

describe("peering with Python's Kopf", () => {
  it('should pause for a Kopf of a higher priority, and go on when it stops', async () => {
    const ours = await startOurs(0);
    await create('a');
    await untilHandled('a');
    const kopf = await startKopf(10);
    await untilState(ours, 'paused');
    expect(Object.keys(await records()).sort()).toEqual([kopf.identity, ours.identity].sort());
    await create('b');
    await untilHandled('b');
    await kopf.process.stop();
    await untilState(ours, 'running');
    await create('c');
    await untilHandled('c');
    expect(kopf.names()).toEqual(['b']);
    expect(ours.names()).toEqual(['a', 'c']);
    expect(ours.logger.messages('error')).toEqual([]);
    await ours.stop();
    expect(await records()).toEqual({});
  });

  it('should make a Kopf of a lower priority pause, until it stops itself', async () => {
    const kopf = await startKopf(10);
    await create('a');
    await untilHandled('a');
    const ours = await startOurs(20);
    await eventually('Kopf pauses', () => /Pausing operations in favour of/.test(kopf.process.output));
    expect(ours.operator.state).toBe('running');
    await create('b');
    await untilHandled('b');
    await ours.stop();
    await eventually('Kopf resumes', () => /Resuming operations after the pause/.test(kopf.process.output));
    await create('c');
    await untilHandled('c');
    expect(ours.names()).toEqual(['b']);
    expect(kopf.names()).toEqual(['a', 'c']);
    await kopf.process.stop();
    expect(kopf.process.output).not.toMatch(/Traceback/);
  });

  it('should pause together with a Kopf of the same priority', async () => {
    const kopf = await startKopf(10);
    const ours = await startOurs(10);
    await untilState(ours, 'paused');
    await eventually('Kopf pauses', () => /Pausing all operators, including self/.test(kopf.process.output));
    await create('a');
    await kopf.process.stop();
    await untilState(ours, 'running');
    await untilHandled('a');
    expect([kopf.names(), ours.names()]).toEqual([[], ['a']]);
  });

  it('should write records of the same form', async () => {
    const kopf = await startKopf(10);
    const ours = await startOurs(20);
    // The operator begins when it has seen the others, which can be before its own record is stored.
    const found = await eventually('both are recorded', async () => {
      const stored = await records();
      return ours.identity in stored && stored;
    });
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
    const record = (priority: number) => ({ priority, lifetime: 60, lastseen: expect.stringMatching(form) as string });
    expect(found).toEqual({ [kopf.identity]: record(10), [ours.identity]: record(20) });
  });

  it('should go on when a Kopf of a higher priority is killed, within its lifetime', async () => {
    const ours = await startOurs(0);
    const kopf = await startKopf(10, { LIFETIME: '8' });
    await untilState(ours, 'paused');
    await kopf.process.kill();
    await create('a');
    await untilState(ours, 'running', 10);
    await untilHandled('a');
    await eventually('the dead one is removed', async () => !(kopf.identity in (await records())));
  });

  it('should let a Kopf of a lower priority go on when it is dead', async () => {
    const kopf = await startKopf(10);
    await user.patch(`${CLUSTER_PEERINGS}/default`, {
      status: { crashed: { priority: 20, lifetime: 3, lastseen: `${new Date().toISOString().slice(0, -1)}000+00:00` } },
    });
    await eventually('Kopf pauses', () => /Pausing operations in favour of/.test(kopf.process.output));
    await eventually('Kopf resumes', () => /Resuming operations after the pause/.test(kopf.process.output));
  });

  it("should be paused by Kopf's freeze, and resumed by its resume", async () => {
    const ours = await startOurs(0);
    const run = async (...args: string[]): Promise<void> => {
      const command = ['-m', 'kopf', ...args, '--all-namespaces', '--peering=default'];
      const process = new TestProcess(python, command, { KUBECONFIG: cluster.kubeconfigPath });
      await eventually(`kopf ${args[0]} has ended`, () => !process.running);
      expect(process.output).not.toMatch(/Error/);
    };
    await run('freeze', '--priority=100', '--lifetime=60');
    await untilState(ours, 'paused');
    expect(ours.operator.pauseStatus.reasons.join()).toContain('@');
    await run('resume');
    await untilState(ours, 'running');
  });
});

describe("sharing the objects with Python's Kopf", () => {
  const MIDDLE = '0x8000000000000000';
  const LOW = `shardRange(object.metadata.uid, '0x0000000000000000', '${MIDDLE}')`;
  const HIGH = `shardRange(object.metadata.uid, '${MIDDLE}', '0x10000000000000000')`;
  const sharded = (shard: string): KopfModuleOptions => ({
    watching: { shardSelectors: [[['kopf.dev', 'v1', 'kopfexamples'], shard]] },
  });

  /** Creates objects, and divides their names by the halves of the hashes of their uids. */
  async function createMany(prefix: string): Promise<{ low: string[]; high: string[] }> {
    const names = Array.from({ length: 16 }, (_, index) => `${prefix}${index.toString(16)}`);
    const uids = await Promise.all(names.map(create));
    const isLow = (_: string, index: number): boolean => hashOf(uids[index]) < '8';
    return { low: names.filter(isLow), high: names.filter((name, index) => !isLow(name, index)) };
  }

  it.each([
    { kopfHas: 'low', oursHas: 'high' },
    { kopfHas: 'high', oursHas: 'low' },
  ] as const)(
    'should work beside a Kopf of the same priority: Kopf has the $kopfHas half',
    async ({ kopfHas, oursHas }) => {
      const shards = { low: LOW, high: HIGH };
      const before = await createMany('before-');
      const kopf = await startKopf(10, { SHARD: shards[kopfHas] });
      const ours = await startOurs(10, sharded(shards[oursHas]));
      const after = await createMany('after-');
      for (const name of [...before.low, ...before.high, ...after.low, ...after.high]) await untilHandled(name);
      expect(kopf.names()).toEqual([...before[kopfHas], ...after[kopfHas]].sort());
      expect(ours.names()).toEqual([...before[oursHas], ...after[oursHas]].sort());
      expect(Object.keys(await records()).sort()).toEqual([kopf.identity, ours.identity].sort());
      expect(ours.operator.state).toBe('running');
      expect(ours.logger.messages('warn')).toEqual([]);
      expect(kopf.process.output).not.toMatch(/Paus|conflicting operators/);
    },
  );

  it('should take over the half of a Kopf that stops, and give it back', async () => {
    const kopf = await startKopf(10, { SHARD: LOW });
    const ours = await startOurs(10, sharded(HIGH));
    const first = await createMany('first-');
    for (const name of [...first.low, ...first.high]) await untilHandled(name);
    await kopf.process.stop();
    await ours.stop();
    const all = await startOurs(10);
    const second = await createMany('second-');
    for (const name of [...second.low, ...second.high]) await untilHandled(name);
    await all.stop();
    const successor = await startKopf(10, { SHARD: LOW });
    const rest = await startOurs(10, sharded(HIGH));
    const third = await createMany('third-');
    for (const name of [...third.low, ...third.high]) await untilHandled(name);
    // What the other one has handled is not handled again.
    expect(all.names()).toEqual([...second.low, ...second.high].sort());
    expect(successor.names()).toEqual(third.low.toSorted());
    expect(rest.names()).toEqual(third.high.toSorted());
  });

  it('should both pause for a higher priority', async () => {
    const kopf = await startKopf(10, { SHARD: LOW });
    const ours = await startOurs(10, sharded(HIGH));
    const rival = await startOurs(20);
    await untilState(ours, 'paused');
    await eventually('Kopf pauses', () => /Pausing operations in favour of/.test(kopf.process.output));
    const { low, high } = await createMany('rival-');
    for (const name of [...low, ...high]) await untilHandled(name);
    expect(rival.names()).toEqual([...low, ...high].sort());
    expect([kopf.names(), ours.names()]).toEqual([[], []]);
    await rival.stop();
    await untilState(ours, 'running');
    await eventually('Kopf resumes', () => /Resuming operations after the pause/.test(kopf.process.output));
  });
});
