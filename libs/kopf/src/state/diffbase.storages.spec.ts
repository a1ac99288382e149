import type { KubeObject } from '../objects/kube-object.js';
import { type DiffBaseStorage, EssenceTooLargeError } from './storages.js';
import { applyMergePatch } from 'kube-common';
import { ResourcePatch } from '../objects/patches.js';
import { AnnotationsDiffBaseStorage } from './annotations-diffbase.storage.js';
import { compareEssences, isHashedEssence } from './essence-hashes.js';
import { MultiDiffBaseStorage } from './multi-diffbase.storage.js';
import { StatusDiffBaseStorage } from './status-diffbase.storage.js';

const NAME = 'kopf.zalando.org/last-handled-configuration';
const body: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', uid: 'u1', labels: { l: 'v' }, annotations: { 'other/a': 'é' } },
  spec: { field: 'ü', replicas: 1 },
  status: { x: 1, phase: 'Ready' },
};
const essence = {
  spec: { field: 'ü', replicas: 1 },
  metadata: { labels: { l: 'v' }, annotations: { 'other/a': 'é' } },
};

const storages: Record<string, DiffBaseStorage> = {
  annotations: new AnnotationsDiffBaseStorage(),
  'annotations of an own prefix': new AnnotationsDiffBaseStorage({ prefix: 'example.com', key: 'base', v1: false }),
  'annotations of an unmarked prefix': new AnnotationsDiffBaseStorage({ prefix: 'kopf.dev', detectCopies: true }),
  status: new StatusDiffBaseStorage(),
  'the status under a name': new StatusDiffBaseStorage({ name: 'my-op', field: 'status.{name}.base' }),
  both: new MultiDiffBaseStorage([new AnnotationsDiffBaseStorage(), new StatusDiffBaseStorage()]),
};

describe.each(Object.entries(storages))('the diff base in %s', (_, storage) => {
  it('should be absent in a fresh object', () => {
    expect(storage.fetch(body)).toBeUndefined();
    expect(storage.fetch({ metadata: {} })).toBeUndefined();
  });

  it('should be the essence when loaded again, and not a part of it', () => {
    const handled = store(storage, body, storage.build(body, [['status', 'x']]));

    expect(storage.fetch(handled)).toEqual({ ...essence, status: { x: 1 } });
    expect(storage.build(handled, [['status', 'x']])).toEqual({ ...essence, status: { x: 1 } });
    expect(storage.build(handled, [['status']])).toEqual({ ...essence, status: { x: 1, phase: 'Ready' } });
  });
});

describe('AnnotationsDiffBaseStorage', () => {
  it('should need a prefix', () => {
    expect(() => new AnnotationsDiffBaseStorage({ prefix: '' })).toThrow(TypeError);
  });

  it('should write compact JSON in ASCII with a line feed', () => {
    const handled = store(new AnnotationsDiffBaseStorage(), body, { spec: { field: 'ü' } });
    expect(handled.metadata.annotations?.[NAME]).toBe('{"spec":{"field":"\\u00fc"}}\n');
  });

  it('should leave out ignored fields', () => {
    const ignoredFields = ['spec.replicas', ['metadata', 'annotations', 'other/a']];
    const expected = { spec: { field: 'ü' }, metadata: { labels: { l: 'v' } } };

    expect(new AnnotationsDiffBaseStorage({ ignoredFields }).build(body, [])).toEqual(expected);
    expect(new StatusDiffBaseStorage({ ignoredFields }).build(body, [])).toEqual(expected);
  });

  it('should take a broken essence as absent, and report it', () => {
    const warnings: string[] = [];
    const storage = new AnnotationsDiffBaseStorage({ onWarning: (message) => void warnings.push(message) });

    expect(storage.fetch({ metadata: { annotations: { [NAME]: '{"spec":' } } })).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(NAME)]);
  });

  it('should read what Kopf stored in a replica set under its own key only', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u' };
    const annotations = { [NAME]: '{"spec":{"of":"the deployment"}}', [`${NAME}-ofDRS`]: '{"spec":{"of":"its own"}}' };
    const replicaSet: KubeObject = { kind: 'ReplicaSet', metadata: { ownerReferences: [owner], annotations } };

    expect(new AnnotationsDiffBaseStorage().fetch(replicaSet)).toEqual({ spec: { of: 'its own' } });
  });

  describe('with an essence that does not fit', () => {
    const large: KubeObject = { metadata: { name: 'a', uid: 'u1' }, data: { key: 'x'.repeat(270_000) } };

    it('should refuse to store it, and leave the patch alone', () => {
      const storage = new AnnotationsDiffBaseStorage();
      const patch = new ResourcePatch();
      const attempt = (): void => storage.store(large, patch, storage.build(large, []));

      expect(attempt).toThrow(EssenceTooLargeError);
      expect(attempt).toThrow(expect.objectContaining({ code: 'KOPF_ESSENCE_TOO_LARGE', size: expect.any(Number) }));
      expect(patch.isEmpty).toBe(true);
    });

    it('should store its hash if told so, and notice changes by it', () => {
      const storage = new AnnotationsDiffBaseStorage({ oversize: 'hash' });
      const handled = store(storage, large, storage.build(large, []));
      const changed = { ...handled, data: { key: 'y'.repeat(270_000) } };
      const stored = storage.fetch(handled) ?? {};

      expect(handled.metadata.annotations?.[NAME].length).toBeLessThan(100);
      expect(isHashedEssence(stored)).toBe(true);
      expect(compareEssences(stored, storage.build(handled, []))).toEqual([]);
      expect(compareEssences(stored, storage.build(changed, []))).toHaveLength(1);
    });

    it('should count the annotations of the object and of the patch', () => {
      const storage = new AnnotationsDiffBaseStorage();
      const patch = new ResourcePatch();
      const full: KubeObject = { metadata: { annotations: { 'other/a': 'x'.repeat(262_000) } } };

      expect(() => storage.store(full, patch, { spec: 'y'.repeat(200) })).toThrow(EssenceTooLargeError);
      patch.metadata.annotations['other/a'] = null;
      storage.store(full, patch, { spec: 'y'.repeat(200) });
      expect(patch.metadata.annotations[NAME]).toContain('yyy');
    });
  });

  describe('with detection of copies', () => {
    const storage = new AnnotationsDiffBaseStorage({ detectCopies: true });
    const handled = store(storage, body, storage.build(body, []));

    it("should take another object's essence as absent", () => {
      const copy = { ...handled, metadata: { ...handled.metadata, name: 'b', uid: 'u2' } };

      expect(storage.fetch(handled)).toEqual(essence);
      expect(storage.fetch(copy)).toBeUndefined();
      expect(new AnnotationsDiffBaseStorage().fetch(copy)).toEqual(essence);
      expect(storage.fetch(store(storage, copy, storage.build(copy, [])))).toEqual(essence);
    });

    it.each<[string, DiffBaseStorage]>([
      ['alone', storage],
      ['among several', new MultiDiffBaseStorage([storage, new StatusDiffBaseStorage()])],
    ])(
      'should claim objects with progress, and not count an essence that came with a copy afterwards: %s',
      (__, each) => {
        const copy = { ...handled, metadata: { ...handled.metadata, name: 'b', uid: 'u2' } };
        expect([each.isCopied?.(body), each.isCopied?.(handled), each.isCopied?.(copy)]).toEqual([false, false, true]);

        const patch = new ResourcePatch();
        each.claim?.(copy, patch);
        expect(patch.toMergePatch()).toEqual({ metadata: { annotations: { [NAME]: null, [`${NAME}-uid`]: 'u2' } } });
        const claimed = applyMergePatch(copy, patch.toMergePatch()) as KubeObject;
        expect([each.isCopied?.(claimed), each.fetch(claimed)]).toEqual([false, undefined]);

        const again = new ResourcePatch();
        each.claim?.(claimed, again);
        expect(again.isEmpty).toBe(true);
      },
    );

    it('should claim nothing if it is not told to', () => {
      const patch = new ResourcePatch();
      new AnnotationsDiffBaseStorage().claim(handled, patch);
      expect(patch.isEmpty).toBe(true);
    });

    it('should trust an essence of Python Kopf, which does not say whose it is', () => {
      const byKopf = store(new AnnotationsDiffBaseStorage(), body, essence);
      expect(storage.fetch(byKopf)).toEqual(essence);
    });

    it('should have nothing to say of an object without a uid', () => {
      const nameless = store(storage, { metadata: {} }, essence);
      expect(Object.keys(nameless.metadata.annotations ?? {})).toEqual([NAME]);
    });
  });
});

describe('StatusDiffBaseStorage', () => {
  it('should write a string without a line feed', () => {
    const handled = store(new StatusDiffBaseStorage(), body, { spec: { field: 'ü' } });
    expect(handled.status.kopf).toEqual({ 'last-handled-configuration': '{"spec":{"field":"\\u00fc"}}' });
  });

  it('should refuse a field outside of the status', () => {
    expect(() => new StatusDiffBaseStorage({ field: 'data.base' })).toThrow(TypeError);
  });

  it('should take a broken essence as absent, and report it', () => {
    const warnings: string[] = [];
    const storage = new StatusDiffBaseStorage({ onWarning: (message) => void warnings.push(message) });
    const broken = { metadata: {}, status: { kopf: { 'last-handled-configuration': '{' } } };

    expect(storage.fetch(broken)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('status.kopf.last-handled-configuration')]);
  });
});

describe('MultiDiffBaseStorage', () => {
  const inAnnotations = new AnnotationsDiffBaseStorage();
  const inStatus = new StatusDiffBaseStorage();

  it('should read from the first storage that has the essence', () => {
    const storage = new MultiDiffBaseStorage([inAnnotations, inStatus]);
    const old = store(inStatus, body, { spec: 'old' });

    expect(storage.fetch(old)).toEqual({ spec: 'old' });
    expect(storage.fetch(store(inAnnotations, old, { spec: 'new' }))).toEqual({ spec: 'new' });
  });

  it('should make essences without any storage', () => {
    expect(new MultiDiffBaseStorage([]).build(body, [])).toEqual(essence);
  });
});

/** Stores the essence as the server would after the patch; removals do not occur here. */
function store(storage: DiffBaseStorage, object: KubeObject, value: Record<string, unknown>): KubeObject {
  const patch = new ResourcePatch();
  storage.store(object, patch, value);
  const merged = new ResourcePatch();
  merged.merge(object);
  merged.merge(patch.toMergePatch() ?? {});
  return { metadata: {}, ...merged.toMergePatch() };
}
