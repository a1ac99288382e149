import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedKube } from 'embedded-kube';
import type { KubeObject } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import { TestProcess } from '../support/programs/child.process.js';
import { ClusterUser, customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { isHandled, storedProgress } from '../support/operators/stored.progress.js';
import { RandomChoices } from '../support/generators/random.choices.js';
import { ObjectChurn } from './object.churn.js';
import { byForm } from '../support/runner/test.form.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const EXAMPLES = { group: 'kopf.dev', plural: 'kopfexamples' };
const KILLS = byForm({ short: 3, long: 10 });

interface Note {
  /** When the handler was called, in milliseconds since the epoch. */
  readonly at?: number;
  readonly uid: string;
  readonly handler?: string;
  readonly reason?: string;
  /** The value that the finished handler has seen. */
  readonly seen?: number;
}

describe('an operator in a process that is killed', () => {
  const choices = new RandomChoices(new SeededRandom(7));
  /** When handlers were recorded as finished: the first time for each object, reason, handler, and configuration handled before. */
  const finished = new Map<string, number>();
  /** The configurations handled before, with the time from which on they were stored. */
  const bases = new Map<string, { readonly from: number; readonly base: string | undefined }[]>();
  let folder: string;
  let bundle: Bundle;
  let kube: EmbeddedKube;
  let user: ObjectChurn;
  let notes: readonly Note[];

  const list = (): readonly KubeObject[] => kube.client.list(EXAMPLES, 'default') as readonly KubeObject[];

  const keyOf = (uid: string, reason: string, handler: string, base: string | undefined): string =>
    [uid, reason, handler.replaceAll('/', '.'), reason === 'update' ? base : ''].join(' ');

  function note(object: KubeObject): void {
    const { uid = '', annotations = {} } = object.metadata;
    const base = annotations['kopf.zalando.org/last-handled-configuration'];
    const known = bases.get(uid) ?? [];
    if (known.length === 0 || known.at(-1)?.base !== base) bases.set(uid, [...known, { from: Date.now(), base }]);
    for (const [handler, { success, purpose }] of Object.entries(storedProgress(object))) {
      const key = keyOf(uid, purpose ?? '', handler, base);
      if (success && !finished.has(key)) finished.set(key, Date.now());
    }
  }

  function start(): TestProcess {
    const env = { KUBECONFIG: join(folder, 'kubeconfig'), CALLS_FILE: join(folder, 'calls') };
    return new TestProcess(process.execPath, [bundle.path], env);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kill-'));
    writeFileSync(join(folder, 'calls'), '');
    bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/kill.program.ts'));
    kube = await EmbeddedKube.start();
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    const cluster = new ClusterUser(kube.transport());
    await cluster.create(DEFINITIONS, customResource({ statusSubresource: true }));
    kube.client.watch(EXAMPLES, ({ type, object }) => {
      if (type !== 'DELETED') note(object as KubeObject);
    });
    user = new ObjectChurn(cluster, OBJECTS, choices);

    for (let kill = 0; kill < KILLS; kill++) {
      const operator = start();
      const length = readFileSync(join(folder, 'calls')).length;
      await user.act();
      await eventually('the operator works', () => {
        operator.check();
        return readFileSync(join(folder, 'calls')).length > length;
      });
      for (let deeds = choices.between(1, 10); deeds > 0; deeds--) {
        await user.act();
        await pause(choices.between(1, 60));
      }
      await operator.kill();
    }
    await user.stay(5);
    const operator = start();
    await eventually('everything is handled', () => {
      operator.check();
      return list().every((object) => !object.metadata.deletionTimestamp && isHandled(object));
    });
    await operator.stop();
    notes = readFileSync(join(folder, 'calls'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Note);
  }, 180_000);

  afterAll(async () => {
    await kube?.stop();
    bundle?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should have handled every object for its last state', () => {
    const objects = list();
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(user.present.keys()));
    for (const { metadata, spec } of objects) {
      expect(spec.value).toBe(user.present.get(metadata.name!));
      expect(notes.filter(({ uid, seen }) => uid === metadata.uid && seen !== undefined).at(-1)?.seen).toBe(spec.value);
    }
  });

  it('should have let go of every deleted object', () => {
    expect(user.deleted.size).toBeGreaterThan(KILLS / 2);
    expect(list().filter(({ metadata }) => user.deleted.has(metadata.name!))).toEqual([]);
  });

  it('should never have repeated a handler that was recorded as finished', () => {
    expect(finished.size).toBeGreaterThan(KILLS);
    const calls = notes.filter(({ at }) => at !== undefined);
    const repeated = calls.filter(({ at, uid, reason, handler }) => {
      const base = bases.get(uid)?.findLast(({ from }) => from <= at!)?.base;
      const since = finished.get(keyOf(uid, reason!, handler!, base));
      return since !== undefined && since < at!;
    });
    expect(repeated).toEqual([]);
  });
});
