import fc from 'fast-check';
import type { KubeObject } from '../objects/kube-object.js';
import {
  AnnotationKeys,
  isNameTooLong,
  replaceUnsafeCharacters,
  createSuffix,
  createV1Key,
  createV2Key,
  findInvalidIds,
  findKeyCollisions,
} from './annotation-keys.js';

const body: KubeObject = { kind: 'KopfExample', metadata: {} };
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', uid: 'u' };
const replicaSet: KubeObject = { kind: 'ReplicaSet', metadata: { ownerReferences: [owner] } };

describe('AnnotationKeys', () => {
  it('should need a prefix', () => {
    expect(() => new AnnotationKeys('', true)).toThrow(TypeError);
  });

  it('should warn of a prefix that leaves no place for names', () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    new AnnotationKeys('p'.repeat(189), true, warn);
    new AnnotationKeys('p'.repeat(190), true);
    expect(warnings).toEqual([]);

    new AnnotationKeys('p'.repeat(190), true, warn);
    expect(warnings).toEqual([expect.stringContaining('too long')]);
  });

  it('should form the keys of an id once', () => {
    const keys = new AnnotationKeys('example.com', true);
    expect(keys.readable('create', body)).toBe(keys.readable('create', { metadata: {} }));
    expect(keys.readable('create', body)).toEqual(['example.com/create']);
  });

  it('should not remember ids without end', () => {
    const keys = new AnnotationKeys('example.com', true);
    const first = keys.readable('id', body);
    for (let index = 0; index < 10_000; index++) keys.readable(`id/${index}`, body);

    expect(keys.readable('id', body)).not.toBe(first);
    expect(keys.readable('id', body)).toEqual(first);
  });

  it('should mark the keys of replica sets that belong to deployments', () => {
    const keys = new AnnotationKeys('example.com', true);
    const alone: KubeObject = { kind: 'ReplicaSet', metadata: {} };
    const other: KubeObject = { kind: 'ReplicaSet', metadata: { ownerReferences: [{ ...owner, kind: 'Rollout' }] } };

    expect(keys.readable('create', replicaSet)).toEqual(['example.com/create-ofDRS']);
    expect(keys.readable('create', alone)).toEqual(['example.com/create']);
    expect(keys.readable('create', other)).toEqual(['example.com/create']);
    expect(keys.readable('create', { ...replicaSet, kind: 'Pod' })).toEqual(['example.com/create']);
  });

  it('should have earlier keys only if asked for', () => {
    const id = 'a'.repeat(60);
    expect(new AnnotationKeys('example.com', true).writable(id, body)).toHaveLength(2);
    expect(new AnnotationKeys('example.com', false).writable(id, body)).toEqual([`example.com/${id}`]);
  });

  it('should never write under a key that the server refuses for its length', () => {
    const prefixes = fc.stringMatching(/^[a-z0-9.]{1,189}$/);
    const ids = fc.stringMatching(/^[\w/<>.]{1,300}$/);

    fc.assert(
      fc.property(prefixes, ids, (prefix, id) => {
        const keys = new AnnotationKeys(prefix, true);
        for (const object of [body, replicaSet]) {
          for (const key of keys.writable(id, object)) {
            expect(key.length).toBeLessThanOrEqual(253);
            expect(key.slice(prefix.length + 1).length).toBeLessThanOrEqual(63);
            expect(keys.readable(id, object)).toContain(key);
          }
        }
      }),
    );
  });
});

const LONG = 'my_handler_with_a_very_long_name_over_sixty_three_characters_long/spec.field';

describe('keys of annotations', () => {
  it('should replace slashes and angle brackets only', () => {
    expect(replaceUnsafeCharacters('a/b<c>d:é')).toBe('a.b_c_d:é');
  });

  it.each([
    ['a'.repeat(64), '-5Keq3A'],
    [LONG, '-TL9M-g'],
    ['fn'.repeat(323), '-Az-r.g'],
  ])('should hash %s to %s', (id, suffix) => {
    expect(createSuffix(id)).toBe(suffix);
  });

  it.each([
    ['create/spec.field', 'p/create.spec.field'],
    ['a'.repeat(63), `p/${'a'.repeat(63)}`],
    ['a'.repeat(64), `p/${'a'.repeat(56)}-5Keq3A`],
    [LONG, 'p/my_handler_with_a_very_long_name_over_sixty_three_charac-TL9M-g'],
    ['😀'.repeat(63), `p/${'😀'.repeat(63)}`],
  ])('should form the present key of %s: %s', (id, key) => {
    expect(createV2Key('p', id)).toBe(key);
  });

  it.each([
    ['kopf.zalando.org', 'create/spec.field', 'kopf.zalando.org/create.spec.field'],
    ['kopf.zalando.org', 'a'.repeat(63), `kopf.zalando.org/${'a'.repeat(39)}-LcrRHA`],
    ['kopf.zalando.org', LONG, 'kopf.zalando.org/my_handler_with_a_very_long_name_over_s-lGlc3A'],
    ['p'.repeat(70), 'abcdefghijklmnop', `${'p'.repeat(70)}/a${createSuffix('abcdefghijklmnop')}`],
  ])('should form the earlier key under %s of %s: %s', (prefix, id, key) => {
    expect(createV1Key(prefix, id)).toBe(key);
  });

  it('should tell which names are too long for Kubernetes', () => {
    expect(isNameTooLong(`${'p'.repeat(100)}/${'a'.repeat(63)}`)).toBe(false);
    expect(isNameTooLong(`p/${'a'.repeat(64)}`)).toBe(true);
  });
});

describe('findKeyCollisions', () => {
  it('should find ids that differ only in what is replaced', () => {
    expect(findKeyCollisions(['create/spec', 'create.spec', 'update', '<a>', '_a_'])).toEqual([
      { key: 'kopf.zalando.org/create.spec', ids: ['create/spec', 'create.spec'] },
      { key: 'kopf.zalando.org/_a_', ids: ['<a>', '_a_'] },
    ]);
  });

  it('should find long ids that share only their earlier keys', () => {
    const ids = [`${'a'.repeat(60)}/b.c`, `${'a'.repeat(60)}/b/c`];

    expect(findKeyCollisions(ids)).toEqual([{ key: expect.stringMatching(/^kopf.zalando.org\/a{39}-/), ids }]);
    expect(findKeyCollisions(ids, { v1: false })).toEqual([]);
  });

  it('should find ids that are names of the storages', () => {
    expect(findKeyCollisions(['touch-dummy', 'kopf-managed']).map(({ key }) => key)).toEqual([
      'kopf.zalando.org/touch-dummy',
      'kopf.zalando.org/kopf-managed',
    ]);
    expect(findKeyCollisions(['kopf/managed', 'last-handled/configuration'])).toEqual([]);
    expect(findKeyCollisions(['touch-dummy/x', 'kopf-managed.x'])).toEqual([]);
  });

  it('should take the same id as the same handler', () => {
    expect(findKeyCollisions(['create', 'create'])).toEqual([]);
  });

  it('should find none among ids of methods with fields, however long', () => {
    const methods = fc.stringMatching(/^[a-zA-Z][\w$]{0,100}$/);
    const fields = fc.array(fc.stringMatching(/^[a-zA-Z]\w{0,30}$/), { maxLength: 4 }).map((names) => names.join('.'));
    const ids = fc.tuple(methods, fields).map(([method, field]) => (field ? `${method}/${field}` : method));
    const prefixes = fc.stringMatching(/^[a-z0-9.]{1,189}$/);

    fc.assert(
      fc.property(fc.uniqueArray(ids, { minLength: 2, maxLength: 20 }), prefixes, (distinct, prefix) => {
        expect(findKeyCollisions(distinct, { prefix })).toEqual([]);
      }),
    );
  });
});

describe('findInvalidIds', () => {
  it('should find ids of which Kubernetes accepts no annotation', () => {
    const valid = ['create', 'a/spec.field', 'on_create', `${'x'.repeat(200)}_`, 'A', '1'];
    const invalid = ['_create', 'create_', '$create', 'été', '<x>', 'a b', '', 'spec.', 'a:b'];
    expect(findInvalidIds([...valid, ...invalid])).toEqual(invalid);
  });
});
