import fc from 'fast-check';
import { findInvalidIds, findKeyCollisions } from './key-checks.js';

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
