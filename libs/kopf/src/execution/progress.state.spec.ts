import fc from 'fast-check';
import type { KubeObject } from '../objects/kube-object.js';
import type { ProgressRecord } from '../state/storages.js';
import { AnnotationsProgressStorage } from '../state/annotations-progress.storage.js';
import { StatusProgressStorage } from '../state/status-progress.storage.js';
import { ResourcePatch } from '../objects/patches.js';
import { formatTimestamp } from 'kube-common';
import type { Outcome } from './outcome.js';
import { ProgressState } from './progress.state.js';

const storage = new AnnotationsProgressStorage();
const NOW = Date.UTC(2020, 11, 31, 23, 59, 59);
const outcome = (fields: Partial<Outcome>): Outcome => ({ final: false, subrefs: new Set(), ...fields });

function bodyWith(records: Record<string, ProgressRecord>): KubeObject {
  const annotations = Object.entries(records).map(([id, record]) => [`kopf.zalando.org/${id}`, JSON.stringify(record)]);
  return { metadata: { annotations: Object.fromEntries(annotations) as Record<string, string> } };
}

function stored(state: ProgressState, body: KubeObject): Record<string, string | null> {
  const patch = new ResourcePatch();
  state.store(body, patch, storage);
  return patch.metadata.annotations;
}

describe('ProgressState', () => {
  it('should begin with fresh progress for handlers without a record', () => {
    const state = new ProgressState(() => NOW, 'create').restore([{ id: 'a' }], { metadata: {} }, storage);
    expect([...state.ids()]).toEqual([]);
    state.activate([{ id: 'a' }]);
    expect(state.of('a')).toMatchObject({ active: true, started: NOW, purpose: 'create', retries: 0 });
    expect(state.done).toBe(false);
    expect(state.delays).toEqual([0]);
  });

  it('should refuse to tell of handlers that it does not know', () => {
    expect(() => new ProgressState(() => NOW).of('a')).toThrow("no progress of the handler 'a'");
  });

  it('should store only what has changed', () => {
    const record = { started: formatTimestamp(NOW), purpose: 'create', retries: 1, success: false, failure: false };
    const body = bodyWith({ a: { ...record, subrefs: ['a/x'] }, b: record });
    const state = new ProgressState(() => NOW, 'create')
      .restore([{ id: 'a' }, { id: 'b' }], body, storage)
      .activate([{ id: 'a' }, { id: 'b' }]);
    expect(stored(state, body)).toEqual({});
    state.advance(new Map([['b', outcome({ final: true })]]));
    expect(Object.keys(stored(state, body))).toEqual(['kopf.zalando.org/b']);
  });

  it('should repair a record into which somebody has put integers beyond the safe ones', () => {
    const text = `{"started":"${formatTimestamp(NOW)}","purpose":"create","retries":9007199254740993,"subrefs":[9007199254740993]}`;
    const body = { metadata: { annotations: { 'kopf.zalando.org/a': text } } } as unknown as KubeObject;
    const state = new ProgressState(() => NOW, 'create').restore([{ id: 'a' }], body, storage).activate([{ id: 'a' }]);
    const record = JSON.parse(stored(state, body)['kopf.zalando.org/a']!);
    expect(record).toMatchObject({ retries: 0, subrefs: ['9007199254740993'] });
  });

  it('should not store again what Kopf has stored with microseconds', () => {
    const rewritten: string[] = [];
    for (let micros = 0; micros < 1000; micros++) {
      const time = `2026-11-21T06:00:00.123${String(micros).padStart(3, '0')}+00:00`;
      const record = { started: time, delayed: time, purpose: 'create', retries: 1, success: false, failure: false };
      const body = bodyWith({ a: record });
      const state = new ProgressState(() => NOW, 'create')
        .restore([{ id: 'a' }], body, storage)
        .activate([{ id: 'a' }]);
      rewritten.push(...Object.keys(stored(state, body)).map(() => time));
    }
    expect(rewritten).toEqual([]);
  });

  it('should know the delays of what is left, and what is done', () => {
    let now = NOW;
    const state = new ProgressState(() => now, 'create').activate([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    state.advance(
      new Map([
        ['a', outcome({ delay: 10, error: new Error('x') })],
        ['b', outcome({ final: true })],
      ]),
    );
    expect(state.delays).toEqual([10, 0]);
    expect(state.of('a').isDue(now)).toBe(false);
    now += 9_999;
    expect(state.of('a').isDue(now)).toBe(false);
    now += 1;
    expect(state.of('a').isDue(now)).toBe(true);
    expect(state.delays).toEqual([0, 0]);
    state.advance(
      new Map([
        ['a', outcome({ final: true, error: new Error('y') })],
        ['c', outcome({ final: true })],
      ]),
    );
    expect(state.done).toBe(true);
    expect(state.delays).toEqual([]);
    expect(state.counts).toEqual({ success: 2, failure: 1, running: 0 });
  });

  it('should report other purposes as superseded until the handlers get the new one', () => {
    const body = bodyWith({
      a: { purpose: 'create', success: true },
      b: { purpose: 'create', failure: true },
      c: { purpose: 'create', retries: 2 },
      d: { purpose: 'resume' },
    });
    const ids = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
    const state = new ProgressState(() => NOW, 'update').restore(ids, body, storage).activate([{ id: 'c' }]);
    expect([...state.superseded]).toEqual([
      ['create', { success: 1, failure: 1, running: 1 }],
      ['resume', { success: 0, failure: 0, running: 1 }],
    ]);
    state.setPurpose([{ id: 'c' }]);
    expect(state.of('c')).toMatchObject({ purpose: 'update', retries: 2 });
    expect([...state.superseded.keys()]).toEqual(['create', 'resume']);
    expect(state.counts).toEqual({ success: 0, failure: 0, running: 1 });
  });

  it('should purge all records with those of sub-handlers, and store again those that go on', () => {
    const body = bodyWith({ a: { purpose: 'create', subrefs: ['a/x'] }, 'a.x': {}, b: { purpose: 'update' }, c: {} });
    const state = new ProgressState(() => NOW, 'update')
      .restore([{ id: 'a' }, { id: 'b' }], body, storage)
      .activate([{ id: 'b' }]);
    const patch = new ResourcePatch();
    state.purge([{ id: 'c' }], body, patch, storage);
    const { annotations } = patch.metadata;
    expect(annotations).toEqual(
      Object.fromEntries(['a', 'a.x', 'b', 'c'].map((id) => [`kopf.zalando.org/${id}`, null])),
    );
    state.store(body, patch, storage);
    expect(annotations['kopf.zalando.org/b']).toContain('"purpose":"update"');
  });

  it('should forget those that have succeeded', () => {
    const state = new ProgressState(() => NOW).activate([{ id: 'a' }, { id: 'b' }]);
    state.advance(new Map([['a', outcome({ final: true })]]));
    expect(state.dropSuccesses()).toBe(true);
    expect([...state.ids()]).toEqual(['b']);
    state.advance(new Map([['b', outcome({ final: true })]]));
    expect(state.dropSuccesses()).toBe(false);
  });

  const outcomes = fc.array(
    fc.record({
      final: fc.boolean(),
      delay: fc.option(fc.integer({ min: 0, max: 1e6 }), { nil: undefined }),
      error: fc.option(
        fc.string({ unit: 'binary' }).map((text) => new Error(text)),
        { nil: undefined },
      ),
      subrefs: fc.array(fc.stringMatching(/^a\/[a-z]{1,5}$/)).map((ids) => new Set(ids)),
    }),
    { maxLength: 5 },
  );

  it.each([
    ['annotations', new AnnotationsProgressStorage()],
    ['the status', new StatusProgressStorage()],
  ])('should lose nothing in a cycle of storing and restoring: %s', (_, anyStorage) => {
    fc.assert(
      fc.property(outcomes, fc.integer({ min: 0, max: 4e12 }), (steps, time) => {
        const state = new ProgressState(() => time, 'create').activate([{ id: 'a' }]);
        for (const step of steps) state.advance(new Map([['a', step]]));
        const patch = new ResourcePatch();
        state.store({ metadata: {} }, patch, anyStorage);
        const body = JSON.parse(JSON.stringify({ metadata: {}, ...patch.toMergePatch() })) as KubeObject;
        const restored = new ProgressState(() => time + 1, 'create').restore([{ id: 'a' }], body, anyStorage);
        expect(restored.of('a').toRecord()).toEqual(state.of('a').toRecord());
        expect(restored.of('a').changed).toBe(false);
      }),
    );
  });
});
