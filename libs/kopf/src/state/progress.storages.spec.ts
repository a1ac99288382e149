import fc from 'fast-check';
import type { KubeObject } from '../objects/kube-object.js';
import type { ProgressRecord, ProgressStorage } from './storages.js';
import { deepCopy, isMap } from 'kube-common';
import { ResourcePatch } from '../objects/patches.js';
import { AnnotationsProgressStorage } from './annotations-progress.storage.js';
import { MultiProgressStorage, SmartProgressStorage } from './multi-progress.storage.js';
import { StatusProgressStorage } from './status-progress.storage.js';

const fresh: KubeObject = { kind: 'KopfExample', metadata: { name: 'a' } };
const record: ProgressRecord = { started: 'T0', purpose: 'create', retries: 1, success: false, failure: false };
const storages: Record<string, ProgressStorage> = {
  annotations: new AnnotationsProgressStorage(),
  'annotations without earlier keys': new AnnotationsProgressStorage({ v1: false }),
  'annotations of an own prefix, verbose': new AnnotationsProgressStorage({ prefix: 'example.com', verbose: true }),
  status: new StatusProgressStorage(),
  'the status under a name': new StatusProgressStorage({ name: 'my-op', field: 'status.{name}' }),
  'the status in a path': new StatusProgressStorage({
    field: ['status', 'a.b', 'c'],
    touchField: ['status', 'a.b', 'd'],
  }),
  both: new MultiProgressStorage([new StatusProgressStorage(), new AnnotationsProgressStorage()]),
  'smart storages': new SmartProgressStorage(),
};

describe.each(Object.entries(storages))('progress in %s', (_, storage) => {
  it('should find nothing in a fresh object, and have nothing to purge there', () => {
    const patch = new ResourcePatch();
    storage.purge('create', fresh, patch);
    storage.touch(null, fresh, patch);

    expect(storage.fetch('create', fresh)).toBeUndefined();
    expect(
      storage.fetch('create', { metadata: { annotations: {} }, status: { kopf: { progress: {} } } }),
    ).toBeUndefined();
    expect(patch.isEmpty).toBe(true);
  });

  it('should lose nothing when saved, loaded, and replaced by another record', () => {
    const texts = fc.option(fc.oneof(fc.string(), fc.string({ unit: 'binary' })));
    const flags = fc.option(fc.boolean());
    const records = fc.record({
      started: texts,
      stopped: texts,
      delayed: texts,
      purpose: texts,
      retries: fc.option(fc.nat()),
      success: flags,
      failure: flags,
      message: texts,
      subrefs: fc.option(fc.array(fc.string())),
    });
    const ids = fc.stringMatching(/^[\w/.<>]{1,100}$/);

    fc.assert(
      fc.property(ids, records, records, (id, before, after) => {
        const once = applied(fresh, (patch) => storage.store(id, before, fresh, patch));
        expect(comparable(storage.fetch(id, once))).toEqual(comparable(before));

        const twice = applied(once, (patch) => storage.store(id, after, once, patch));
        expect(comparable(storage.fetch(id, twice))).toEqual(comparable(after));
      }),
    );
  });

  it('should keep the records of handlers apart', () => {
    const body = applied(fresh, (patch) => {
      storage.store('create', record, fresh, patch);
      storage.store('create/sub', { ...record, retries: 2 }, fresh, patch);
    });

    expect(storage.fetch('create', body)?.retries).toBe(1);
    expect(storage.fetch('create/sub', body)?.retries).toBe(2);
    expect(storage.fetch('sub', body)).toBeUndefined();
  });

  it('should purge a record from the object and from the patch', () => {
    const body = applied(fresh, (patch) => storage.store('create', record, fresh, patch));
    const purged = applied(body, (patch) => {
      storage.store('create', record, body, patch);
      storage.purge('create', body, patch);
    });
    expect(storage.fetch('create', purged)).toBeUndefined();

    const patch = new ResourcePatch();
    storage.touch('T1', fresh, patch);
    const touched = patch.toMergePatch();
    storage.store('create', record, fresh, patch);
    storage.purge('create', fresh, patch);
    expect(patch.toMergePatch()).toEqual(touched);
  });

  it('should touch only when that changes something', () => {
    const touched = applied(fresh, (patch) => storage.touch('T1', fresh, patch));
    const patch = new ResourcePatch();
    storage.touch('T1', touched, patch);
    expect(patch.isEmpty).toBe(true);

    storage.touch(null, touched, patch);
    expect(patch.isEmpty).toBe(false);
    const clean = applied(touched, (another) => storage.touch(null, touched, another));
    storage.touch('T2', touched, patch);
    expect(JSON.stringify(clean)).not.toContain('T1');
  });

  it('should leave nothing of its own in an essence', () => {
    const body = applied(fresh, (patch) => {
      storage.store('create', record, fresh, patch);
      storage.touch('T1', fresh, patch);
    });
    const { annotations } = body.metadata;
    const own = Object.keys(annotations ?? {}).filter((name) => name.startsWith('example.com/'));
    const { status } = body as { status?: Record<string, Record<string, unknown>> };
    const essence = { spec: {}, metadata: { annotations: { ...annotations, 'a/b': 'c' } }, status };
    delete status?.kopf?.dummy;
    delete status?.['my-op']?.dummy;
    delete status?.['a.b']?.d;

    expect(own.length === 0 || own.includes('example.com/kopf-managed')).toBe(true);
    expect(storage.clear(essence)).toEqual({ spec: {}, metadata: { annotations: { 'a/b': 'c' } } });
    expect(storage.clear({ spec: {} })).toEqual({ spec: {} });
  });
});

describe('AnnotationsProgressStorage', () => {
  it('should need a prefix', () => {
    expect(() => new AnnotationsProgressStorage({ prefix: '' })).toThrow(TypeError);
  });

  it("should write compact JSON in Kopf's order, with sorted sub-handlers and without nulls", () => {
    const patch = new ResourcePatch();
    const mixed = { subrefs: ['b', 'a'], retries: 0, message: null, failure: false, started: 'T0', success: false };
    new AnnotationsProgressStorage().store('create', mixed, fresh, patch);

    expect(patch.metadata.annotations['kopf.zalando.org/create']).toBe(
      '{"started":"T0","retries":0,"success":false,"failure":false,"subrefs":["a","b"]}',
    );
    expect(mixed.subrefs).toEqual(['b', 'a']);
  });

  it('should store what identifies an attempt for tracers, beside what Kopf knows, and nothing in its place without it', () => {
    const storage = new AnnotationsProgressStorage({ verbose: true });
    const body = applied(fresh, (patch) =>
      storage.store('create', { ...record, traceparent: '00-a-b-01' }, fresh, patch),
    );
    expect(storage.fetch('create', body)?.traceparent).toBe('00-a-b-01');

    const next = applied(body, (patch) => storage.store('create', record, body, patch));
    expect(storage.fetch('create', next)).not.toHaveProperty('traceparent');
  });

  it('should write all members when verbose, and no empty list of sub-handlers', () => {
    const patch = new ResourcePatch();
    new AnnotationsProgressStorage({ verbose: true }).store('create', { retries: 0, subrefs: [] }, fresh, patch);

    expect(patch.metadata.annotations['kopf.zalando.org/create']).toBe(
      '{"started":null,"stopped":null,"delayed":null,"purpose":null,"retries":0,' +
        '"success":null,"failure":null,"message":null,"subrefs":null}',
    );
  });

  it('should keep both keys of a long id, and read either', () => {
    const storage = new AnnotationsProgressStorage();
    const id = 'a'.repeat(60);
    const { metadata } = applied(fresh, (patch) => storage.store(id, record, fresh, patch));
    const [first, second] = Object.keys(metadata.annotations ?? {});

    expect([first, second.length]).toEqual([`kopf.zalando.org/${id}`, 63]);
    expect(storage.fetch(id, { metadata: { annotations: { [second]: '{"retries":5}' } } })).toEqual({ retries: 5 });
    const broken = { [first]: 'broken', [second]: '{"retries":5}' };
    expect(storage.fetch(id, { metadata: { annotations: broken } })).toEqual({ retries: 5 });
  });

  it('should take a broken record as absent, and report it', () => {
    const warnings: string[] = [];
    const storage = new AnnotationsProgressStorage({ onWarning: (message) => void warnings.push(message) });
    const body = { metadata: { annotations: { 'kopf.zalando.org/create': '{"started":' } } };

    expect(storage.fetch('create', body)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('kopf.zalando.org/create')]);
  });

  it('should mark a prefix that does not tell whose it is, once', () => {
    const marked = { metadata: { annotations: { 'example.com/kopf-managed': 'yes' } } };
    const write = (prefix: string, body: KubeObject): object | undefined => {
      const patch = new ResourcePatch();
      const storage = new AnnotationsProgressStorage({ prefix, touchKey: 'touched' });
      storage.touch('T1', body, patch);
      storage.touch('T2', body, patch);
      return patch.toMergePatch();
    };

    expect(write('example.com', fresh)).toEqual({
      metadata: { annotations: { 'example.com/touched': 'T2', 'example.com/kopf-managed': 'yes' } },
    });
    expect(write('example.com', marked)).toEqual({ metadata: { annotations: { 'example.com/touched': 'T2' } } });
    expect(write('kopf.dev', fresh)).toEqual({ metadata: { annotations: { 'kopf.dev/touched': 'T2' } } });
  });
});

describe('StatusProgressStorage', () => {
  it.each([['spec'], ['status'], ['data.x'], [['data', 'x']], ['']])('should refuse the field %j', (field) => {
    expect(() => new StatusProgressStorage({ field })).toThrow(TypeError);
    expect(() => new StatusProgressStorage({ touchField: field })).toThrow(TypeError);
  });

  it('should take what is not a record as absent', () => {
    const storage = new StatusProgressStorage();
    expect(
      storage.fetch('create', { metadata: {}, status: { kopf: { progress: { create: 'text' } } } }),
    ).toBeUndefined();
    expect(storage.fetch('create', { metadata: {}, status: { kopf: { progress: 'text' } } })).toBeUndefined();
    expect(storage.fetch('toString', { metadata: {}, status: { kopf: { progress: {} } } })).toBeUndefined();
  });

  it('should not store what identifies an attempt for tracers, as Kopf could not remove it', () => {
    const patch = new ResourcePatch();
    new StatusProgressStorage().store('create', { ...record, traceparent: '00-a-b-01' }, fresh, patch);
    expect(JSON.stringify(patch.toMergePatch())).not.toContain('traceparent');
  });

  it('should write into the metadata if told so', () => {
    const storage = new StatusProgressStorage({ field: 'metadata.progress' });
    const patch = new ResourcePatch();
    storage.store('create', record, fresh, patch);
    expect(patch.toMergePatch()).toEqual({ metadata: { progress: { create: expect.objectContaining(record) } } });
  });
});

describe('SmartProgressStorage', () => {
  it('should read and purge what is in the status, but not write there', () => {
    const storage = new SmartProgressStorage();
    const body = { metadata: {}, status: { kopf: { progress: { create: record }, dummy: 'T0' } } };
    const patch = new ResourcePatch();

    expect(storage.fetch('create', body)).toEqual(record);
    storage.store('create', record, body, patch);
    storage.touch('T1', body, patch);
    storage.touch(null, body, patch);
    expect(Object.keys(patch.toMergePatch() ?? {})).toEqual(['metadata']);
    storage.purge('create', body, patch);
    expect(patch.toMergePatch()?.status).toEqual({ kopf: { progress: { create: null } } });
  });

  it('should prefer what is in annotations', () => {
    const annotations = { 'kopf.zalando.org/create': '{"retries":7}' };
    const body = { metadata: { annotations }, status: { kopf: { progress: { create: record } } } };
    expect(new SmartProgressStorage().fetch('create', body)).toEqual({ retries: 7 });
  });
});

function applied(body: KubeObject, write: (patch: ResourcePatch) => void): KubeObject {
  const patch = new ResourcePatch();
  write(patch);
  return applyMergePatch(body, patch.toMergePatch()) as KubeObject;
}

/** Without what is not stored: members with nothing, empty lists, and the order of sub-handlers. */
function comparable(progress: ProgressRecord | undefined): object {
  const { subrefs, ...rest } = progress ?? {};
  const members = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(members), subrefs: [...(subrefs ?? [])].sort() };
}

/** Applies a merge patch (RFC 7386) as the API server does. */
function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (!isMap(patch)) return patch;
  const result = new Map(Object.entries(isMap(target) ? deepCopy(target) : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, applyMergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}
