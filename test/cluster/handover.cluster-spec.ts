import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson, type KubeObject } from 'nestjs-kopf';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import { TestProcess } from '../support/programs/child.process.js';
import { type ClusterUser, customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { FORMER_KOPF_VERSION, installPythonKopf, KOPF_VERSION } from '../support/operators/python.kopf.js';
import { isHandled, storedProgress } from '../support/operators/stored.progress.js';
import { administrator, define } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { NUMBERS, STORED_NUMBERS } from './handover.numbers.js';
import { countPatches } from './patch.count.js';

type Side = 'kopf' | 'ours';

interface Call {
  readonly side: Side;
  readonly handler: string;
  readonly name: string;
  readonly retry: number;
  readonly reason: string;
  readonly diff: readonly unknown[];
}

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const FIXTURES = join(import.meta.dirname, 'fixtures');
const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';
const LONG = 'a_handler_whose_identifier_is_longer_than_the_limit_of_sixty_three_characters';
const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';
const CREATION = ['first', LONG, 'parent', 'parent/done', 'parent/held', 'field'];

const VERSIONS = [KOPF_VERSION, FORMER_KOPF_VERSION];
const HANDOVERS = VERSIONS.flatMap((version) => [
  { version, from: 'kopf', to: 'ours', statusSubresource: false } as const,
  { version, from: 'kopf', to: 'ours', statusSubresource: true } as const,
  { version, from: 'ours', to: 'kopf', statusSubresource: false } as const,
  { version, from: 'ours', to: 'kopf', statusSubresource: true } as const,
]);

let pythons: ReadonlyMap<string, string>;
let bundle: Bundle;
let cluster: ControlPlane;
let user: ClusterUser;

beforeAll(async () => {
  pythons = new Map(await Promise.all(VERSIONS.map(async (each) => [each, await installPythonKopf(each)] as const)));
  bundle = await bundleProgram(join(FIXTURES, 'handover.operator.ts'));
  cluster = await startControlPlane({ controllers: false });
  user = administrator(cluster);
}, 300_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
  bundle?.remove();
});

/** A folder for what the operators note, and the operators that were started. */
class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'handover-'));
  private readonly processes: TestProcess[] = [];
  private count = 0;

  /** @param version the version of Python's Kopf. */
  constructor(private readonly version: string) {}

  /** Starts an operator that notes its calls in a file of its own; once released, no handler is held. */
  start(side: Side, released: boolean): { process: TestProcess; calls: () => readonly Call[] } {
    const file = join(this.folder, `calls-${++this.count}`);
    writeFileSync(file, '');
    const env = { KUBECONFIG: cluster.kubeconfigPath, CALLS_FILE: file, RELEASED: released ? 'yes' : '' };
    const script = join(FIXTURES, 'handover_operator.py');
    const args = ['-m', 'kopf', 'run', '--standalone', '--all-namespaces', '--verbose', script];
    const process_ =
      side === 'kopf'
        ? new TestProcess(pythons.get(this.version)!, args, env)
        : new TestProcess(process.execPath, [bundle.path], env);
    this.processes.push(process_);
    const calls = (): readonly Call[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => parseJson(line) as Call);
    return { process: process_, calls };
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function get(name: string): Promise<KubeObject> {
  const object = await user.get(`${OBJECTS}/${name}`);
  if (!object) throw new Error(`There is no object ${name}.`);
  return object;
}

async function create(name: string, spec: object): Promise<void> {
  await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec });
}

function untilHandled(name: string, process: TestProcess): Promise<KubeObject> {
  return eventually(`${name} is handled`, async () => {
    process.check();
    const object = await get(name);
    return isHandled(object) && object;
  });
}

/** Waits until the last results are there: they come with a request of their own if the status is a subresource. */
function untilResults(name: string, process: TestProcess): Promise<KubeObject> {
  return eventually(`${name} has all results`, async () => {
    const object = await untilHandled(name, process);
    return ['first', LONG, 'parent/done', 'parent/held'].every((id) => object.status?.[id]) && object;
  });
}

/** Waits until all that can be done before the handover is done, and only the held handler is left, and has been tried. */
function untilHeld(name: string, held: readonly string[], process: TestProcess): Promise<KubeObject> {
  return eventually(`only ${held.join(', ')} of ${name} is left`, async () => {
    process.check();
    const object = await get(name);
    const records = Object.entries(storedProgress(object));
    const left = records.filter(([, { success }]) => !success);
    const isHeld = left.length > 0 && left.every(([key, { retries }]) => isOneOf(key, held) && (retries ?? 0) > 0);
    return isHeld && records.length > left.length && object;
  });
}

/** Tells whether the annotation is that of one of the handlers: long names are cut, and end with a digest. */
function isOneOf(key: string, handlers: readonly string[]): boolean {
  return handlers.some((id) => key === id.replaceAll('/', '.') || key.startsWith(id.slice(0, 30)));
}

function handlersOf(calls: readonly Call[], name: string): readonly string[] {
  return calls.filter((call) => call.name === name).map(({ handler }) => handler);
}

const TITLE = 'handover from $from to $to, Kopf $version, status subresource: $statusSubresource';

describe.each(HANDOVERS)(TITLE, ({ version, from, to, statusSubresource }) => {
  let stage: Stage;
  let before: Record<string, KubeObject>;
  let callsBefore: readonly Call[];
  let calls: () => readonly Call[];
  let successor: TestProcess;

  const after = (name: string): readonly string[] => handlersOf(calls(), name);

  beforeAll(async () => {
    stage = new Stage(version);
    await define(user, { statusSubresource });
    const first = stage.start(from, false);
    await create('quiet', { field: 'v1' });
    await create('update', { field: 'v1' });
    await create('deletion', { field: 'v1', hold: 'bye_second' });
    await create('creation', { field: 'v1', hold: LONG });
    await create('children', { field: 'v1', hold: 'parent/held' });
    await create('untouched', { field: 'v1' });
    await create('numbers', { field: 'v1', ...NUMBERS });
    await create('neighbour', { field: 'v1', ...NUMBERS });
    for (const name of ['quiet', 'update', 'deletion', 'numbers', 'neighbour']) await untilHandled(name, first.process);
    await user.patch(`${OBJECTS}/update`, { spec: { field: 'v2', hold: 'change_second' } });
    await user.patch(`${OBJECTS}/quiet`, { spec: { field: 'v2' } });
    await user.delete(`${OBJECTS}/deletion`);
    before = {
      creation: await untilHeld('creation', [LONG], first.process),
      children: await untilHeld('children', ['parent', 'parent/held'], first.process),
      update: await untilHeld('update', ['change_second'], first.process),
      deletion: await untilHeld('deletion', ['bye_second'], first.process),
      quiet: await untilHandled('quiet', first.process),
      untouched: await untilHandled('untouched', first.process),
      numbers: await untilHandled('numbers', first.process),
      neighbour: await untilHandled('neighbour', first.process),
    };
    await first.process.kill();
    callsBefore = first.calls();
    // Results come with a request of their own, so the last states are those after the end.
    for (const name of Object.keys(before)) before[name] = await get(name);

    const second = stage.start(to, true);
    ({ calls, process: successor } = second);
    // What is created after the start is handled after what was there before.
    await create('newcomer', { field: 'v1' });
    for (const name of ['newcomer', 'creation', 'children', 'update']) await untilHandled(name, successor);
    await eventually('the deletion is over', async () => !(await user.get(`${OBJECTS}/deletion`)));
  }, 120_000);

  afterAll(async () => {
    await stage?.end();
    for (const { metadata } of await user.list(OBJECTS)) {
      await user.patch(`${OBJECTS}/${metadata.name}`, { metadata: { finalizers: null } });
      await user.delete(`${OBJECTS}/${metadata.name}`);
    }
    const definition = customResource();
    await user.delete(`${DEFINITIONS}/${definition.metadata.name}`);
    await eventually('the definition has gone', async () => {
      return !(await user.get(`${DEFINITIONS}/${definition.metadata.name}`));
    });
  });

  it('should have had the work done in halves', () => {
    expect(new Set(handlersOf(callsBefore, 'creation'))).toEqual(new Set(CREATION));
    expect(new Set(handlersOf(callsBefore, 'children'))).toEqual(new Set(CREATION));
    expect(handlersOf(callsBefore, 'update')).toContain('change_first');
    expect(handlersOf(callsBefore, 'deletion')).toContain('bye_first');
    expect(callsBefore.every(({ side }) => side === from)).toBe(true);
    expect(calls().every(({ side }) => side === to)).toBe(true);
  });

  it('should call only the handler that has not finished, and count its attempts on', async () => {
    expect(after('creation')).toEqual([LONG]);
    const [record] = Object.entries(storedProgress(before.creation)).filter(([, { success }]) => !success);
    const [call] = calls().filter(({ name }) => name === 'creation');
    expect(call).toMatchObject({ reason: 'create', retry: record[1].retries });
    const { status } = await get('creation');
    expect(status).toMatchObject({ first: { by: from }, [LONG]: { by: to } });
  });

  it('should call only the sub-handler that has not finished, and its parent', async () => {
    expect(after('children')).toEqual(['parent', 'parent/held']);
    const { status } = await get('children');
    expect(status).toMatchObject({ 'parent/done': { by: from }, 'parent/held': { by: to } });
  });

  it('should finish an update with the same differences', async () => {
    expect(after('update')).toEqual(['change_second']);
    const diffs = (side: readonly Call[]): unknown =>
      side.find(({ name, handler }) => name === 'update' && handler === 'change_second')?.diff;
    expect(sorted(diffs(calls()))).toEqual(sorted(diffs(callsBefore)));
    expect(sorted(diffs(calls()))).toEqual(
      sorted([
        ['add', ['spec', 'hold'], null, 'change_second'],
        ['change', ['spec', 'field'], 'v1', 'v2'],
      ]),
    );
    const { status } = await get('update');
    expect(status).toMatchObject({ change_first: { by: from }, change_second: { by: to } });
  });

  it('should finish a deletion', () => {
    expect(before.deletion.metadata.finalizers).toEqual([FINALIZER]);
    expect(after('deletion')).toEqual(['bye_second']);
  });

  it('should leave alone what the other one has handled', async () => {
    for (const name of ['quiet', 'untouched', 'numbers']) {
      expect(after(name)).toEqual([]);
      const { metadata } = await get(name);
      expect(metadata.resourceVersion).toBe(before[name].metadata.resourceVersion);
    }
  });

  it('should have stored numbers to the digit', () => {
    expect(before.numbers.metadata.annotations?.[LAST_HANDLED]).toBe(`{"spec":{"field":"v1",${STORED_NUMBERS}}}\n`);
    expect(before.numbers.spec).toEqual({ field: 'v1', ...NUMBERS });
  });

  it('should see no other change of an object with such numbers than there is, and store the same digits', async () => {
    await user.patch(`${OBJECTS}/neighbour`, { spec: { int64: 9007199254740992n } });
    const { metadata } = await untilHandled('neighbour', successor);
    const { diff } = calls().find(({ name, handler }) => name === 'neighbour' && handler === 'change_first')!;
    expect(diff).toEqual([['change', ['spec', 'int64'], 9007199254740993n, 9007199254740992n]]);
    expect(after('neighbour').toSorted()).toEqual(['change_first', 'change_second']);
    const stored = STORED_NUMBERS.replace('740993', '740992');
    expect(metadata.annotations?.[LAST_HANDLED]).toBe(`{"spec":{"field":"v1",${stored}}}\n`);
  });

  it('should handle what comes later, and what the other one has finished', async () => {
    expect(new Set(after('newcomer'))).toEqual(new Set(CREATION));
    await user.delete(`${OBJECTS}/quiet`);
    await eventually('the deletion is over', async () => !(await user.get(`${OBJECTS}/quiet`)));
    expect(after('quiet')).toEqual(['bye_first', 'bye_second']);
    await user.patch(`${OBJECTS}/untouched`, { spec: { field: 'v3' } });
    await untilHandled('untouched', successor);
    expect(new Set(after('untouched'))).toEqual(new Set(['field', 'change_first', 'change_second']));
  });

  it('should not even send a patch to objects that are handled', async () => {
    await successor.kill();
    const before = await countPatches(user);
    const { process, calls: callsLater } = stage.start(from, true);
    await create('late', { field: 'v1' });
    await untilResults('late', process);
    const afterStart = await countPatches(user);
    await create('later', { field: 'v1' });
    await untilResults('later', process);
    expect(afterStart - before).toBeGreaterThan(3);
    // The start has cost no more patches than the creation of one object alone.
    expect(afterStart - before).toBe((await countPatches(user)) - afterStart);
    expect(new Set(callsLater().map(({ name }) => name))).toEqual(new Set(['late', 'later']));
    await process.stop();
    expect(process.running).toBe(false);
  });
});

function sorted(diff: unknown): unknown {
  return (diff as readonly unknown[]).map((item) => JSON.stringify(item)).sort();
}
