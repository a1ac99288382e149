import { inspect } from 'node:util';
import { diff } from '../objects/diffs.js';
import { applyMergePatch } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import { AnnotationsDiffBaseStorage } from './annotations-diffbase.storage.js';
import { DigestDiffBaseStorage, type DigestedFields } from './digest-diffbase.storage.js';
import { MultiDiffBaseStorage } from './multi-diffbase.storage.js';
import type { DiffBaseStorage } from './storages.js';

const NAME = 'kopf.zalando.org/last-handled-configuration';
const KEY = 'a key of sixteen bytes or more';
const OTHER_KEY = 'another key of that size';
const FIELDS: readonly DigestedFields[] = [
  { apiVersion: 'v1', kind: 'Secret', fields: ['data'] },
  { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', fields: ['spec.*.token', 'spec.list.*.token'] },
];

const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', uid: 'u1', labels: { l: 'shown' } },
  data: { password: 'canary', same: 'canary', count: 'two' },
};
const example: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', uid: 'u2' },
  spec: { size: 1, a: { token: { b: 1, a: 'canary' }, name: 'shown' }, list: [{ token: ['canary'], name: 'shown' }] },
};

const plain = new AnnotationsDiffBaseStorage();
const digesting = (keys = [KEY], fields = FIELDS): DiffBaseStorage =>
  new DigestDiffBaseStorage(plain, { keys, fields });

function handled(storage: DiffBaseStorage, body: KubeObject): KubeObject {
  const patch = new ResourcePatch();
  storage.store(body, patch, storage.build(body, []));
  return applyMergePatch(body, patch.toMergePatch()) as KubeObject;
}

const changed = (body: KubeObject, fields: object): KubeObject => applyMergePatch(body, fields) as KubeObject;
const changesOf = (storage: DiffBaseStorage, body: KubeObject) => diff(storage.fetch(body), storage.build(body, []));
const storedOf = (body: KubeObject): string => body.metadata.annotations![NAME];

describe('DigestDiffBaseStorage', () => {
  it.each([
    ['a Secret', secret],
    ['nested fields', example],
  ])('should store no values of the chosen fields, and notice no change where there is none: %s', (_, body) => {
    const storage = digesting();
    const object = handled(storage, body);
    expect(storedOf(object)).not.toContain('canary');
    expect(storedOf(object)).toContain('shown');
    expect(storage.fetch(object)).toEqual(storage.build(object, []));
    expect(changesOf(storage, object)).toEqual([]);
  });

  it('should notice changes with their paths, and show the digest of what was there before', () => {
    const storage = digesting();
    const object = changed(handled(storage, secret), { data: { password: 'new', count: null, more: 'x' } });
    const digest = expect.stringMatching(/^hmac-sha256:[\w-]{12}:[\w-]{43}$/);
    expect(changesOf(storage, object)).toEqual([
      ['change', ['data', 'password'], digest, 'new'],
      ['add', ['data', 'more'], null, 'x'],
      ['remove', ['data', 'count'], digest, null],
    ]);
    expect(storage.fetch(object)?.metadata).toEqual({ labels: { l: 'shown' } });
  });

  it('should notice changes in lists and in maps', () => {
    const storage = digesting();
    const object = handled(storage, example);
    const { list } = example.spec as { list: object[] };
    expect(changesOf(storage, changed(object, { spec: { a: { token: { a: 'other' } } } }))).toHaveLength(1);
    expect(changesOf(storage, changed(object, { spec: { list: [{ ...list[0], token: ['other'] }] } }))).toHaveLength(1);
    expect(changesOf(storage, changed(object, { spec: { list: [] } }))).toHaveLength(1);
  });

  it('should have other digests for equal values, in one object and in others', () => {
    const other = { ...secret, metadata: { ...secret.metadata, uid: 'u9' } };
    const texts = [secret, other].map((body) => storedOf(handled(digesting(), body))).join();
    const digests = texts.match(/hmac-sha256:[\w:-]+/g)!;
    expect(digests).toHaveLength(6);
    expect(new Set(digests).size).toBe(6);
  });

  it('should take a copy of an object, or a restored one, for unchanged', () => {
    const object = handled(digesting(), secret);
    const copy = { ...object, metadata: { ...object.metadata, uid: 'u9' } };
    expect(changesOf(digesting(), copy)).toEqual([]);
  });

  it('should leave other objects as they are', () => {
    const config = { ...secret, kind: 'ConfigMap' };
    expect(storedOf(handled(digesting(), config))).toBe(storedOf(handled(plain, config)));
  });

  it.each<[string, DiffBaseStorage, DiffBaseStorage]>([
    ['when it is switched on', plain, digesting()],
    ['when the key is changed', digesting([OTHER_KEY]), digesting([KEY, OTHER_KEY])],
    ['when other fields are chosen', digesting(), digesting([KEY], FIELDS.slice(1))],
    ['when it is switched off, as long as it knows the key', digesting(), digesting([KEY], [])],
  ])('should notice no change %s, and what has changed nevertheless', (_, before, after) => {
    const object = handled(before, secret);
    expect(changesOf(after, object)).toEqual([]);
    expect(changesOf(after, changed(object, { data: { password: 'new' } }))).toHaveLength(1);
    expect(changesOf(after, handled(after, object))).toEqual([]);
  });

  it('should make digests with the first key', () => {
    const object = handled(digesting([KEY, OTHER_KEY]), handled(digesting([OTHER_KEY]), secret));
    expect(changesOf(digesting([KEY]), object)).toEqual([]);
  });

  it('should take the fields for changed if the key is lost, as without the storage', () => {
    const object = handled(digesting(), secret);
    expect(changesOf(digesting([OTHER_KEY]), object)).toHaveLength(3);
    expect(changesOf(plain, object)).toHaveLength(3);
  });

  it('should not be misled by a value that looks like a digest', () => {
    const storage = digesting();
    const digest = (storage.fetch(changed(handled(storage, secret), { data: { password: 'x' } })) as any).data.password;
    const posing = changed(handled(storage, secret), { data: { password: digest } });
    expect(storedOf(handled(storage, posing))).not.toContain(`"password":"${digest}"`);
    expect(changesOf(storage, handled(storage, posing))).toEqual([]);
    const broken = changed(secret, { data: { password: 'hmac-sha256:x' } });
    expect(changesOf(storage, handled(plain, broken))).toEqual([]);
  });

  it('should pass on what else storages do', () => {
    const storage = new DigestDiffBaseStorage(new AnnotationsDiffBaseStorage({ detectCopies: true }), {
      keys: [KEY],
      fields: [],
    });
    const object = handled(storage, secret);
    const copy = { ...object, metadata: { ...object.metadata, uid: 'u9' } };
    expect([storage.isCopied(object), storage.isCopied(copy), storage.fetch(copy)]).toEqual([false, true, undefined]);
    const patch = new ResourcePatch();
    storage.claim(secret, patch);
    expect(Object.keys(patch.metadata.annotations)).toHaveLength(1);
  });

  it('should conceal essences that are stored elsewhere, also in one of several storages', () => {
    for (const storage of [digesting(), new MultiDiffBaseStorage([plain, digesting()])]) {
      const essence = storage.build(secret, []);
      const concealed = storage.conceal!(essence, secret);
      expect(JSON.stringify(concealed)).not.toContain('canary');
      expect(storage.conceal!(essence, secret)).toEqual(concealed);
      expect(storage.reveal!(concealed, secret)).toEqual(essence);
    }
  });

  it('should not show its keys', () => {
    expect(inspect(digesting(), { depth: 10, showHidden: true })).not.toContain(KEY);
  });

  it.each([
    ['no keys', () => digesting([])],
    ['a short key', () => digesting([KEY, 'short'])],
    ['a bad field', () => digesting([KEY], [{ apiVersion: 'v1', kind: 'Secret', fields: ['a..b'] }])],
    ['hashes', () => withHashes(new AnnotationsDiffBaseStorage({ oversize: 'hash' }))],
    [
      'hashes in one of several',
      () => withHashes(new MultiDiffBaseStorage([plain, new AnnotationsDiffBaseStorage({ oversize: 'hash' })])),
    ],
  ])('should not work with %s', (_, create) => {
    expect(create).toThrow(TypeError);
  });

  function withHashes(storage: DiffBaseStorage): DiffBaseStorage {
    return new DigestDiffBaseStorage(storage, { keys: [KEY], fields: FIELDS });
  }
});
