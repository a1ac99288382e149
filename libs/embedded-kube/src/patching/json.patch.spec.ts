import fc from 'fast-check';
import jsonpatch, { type Operation } from 'fast-json-patch';
import { applyJsonPatch } from './json.patch.js';
import type { JsonPatchError } from './patch.error.js';

const document = () => ({
  metadata: { labels: { a: '1', b: '2' }, finalizers: ['x', 'y', 'z'] },
  spec: { deep: { n: 1 } },
});

describe('applyJsonPatch', () => {
  it.each([
    ['append', [{ op: 'add', path: '/metadata/finalizers/-', value: 'n' }], ['x', 'y', 'z', 'n']],
    ['insert', [{ op: 'add', path: '/metadata/finalizers/1', value: 'n' }], ['x', 'n', 'y', 'z']],
    ['insert before the end', [{ op: 'add', path: '/metadata/finalizers/-1', value: 'n' }], ['x', 'y', 'z', 'n']],
    ['remove', [{ op: 'remove', path: '/metadata/finalizers/0' }], ['y', 'z']],
    ['remove from the end', [{ op: 'remove', path: '/metadata/finalizers/-1' }], ['x', 'y']],
    ['replace', [{ op: 'replace', path: '/metadata/finalizers/2', value: 'n' }], ['x', 'y', 'n']],
    ['move', [{ op: 'move', from: '/metadata/finalizers/0', path: '/metadata/finalizers/-' }], ['y', 'z', 'x']],
    ['copy', [{ op: 'copy', from: '/metadata/labels/a', path: '/metadata/finalizers/0' }], ['1', 'x', 'y', 'z']],
  ])('should %s in a list', (_name, operations, finalizers) => {
    expect(applyJsonPatch(document(), operations)).toMatchObject({ metadata: { finalizers } });
  });

  it.each([
    ['a missing member for replace', [{ op: 'replace', path: '/metadata/labels/new', value: '3' }], { new: '3' }],
    ['a missing member as null in test', [{ op: 'test', path: '/metadata/labels/new', value: null }], { a: '1' }],
    ['an add without value as null', [{ op: 'add', path: '/metadata/labels/new' }], { new: null }],
    ['escaped names', [{ op: 'add', path: '/metadata/labels/a~1b~0c', value: '3' }], { 'a/b~c': '3' }],
    ['another order of members in test', [{ op: 'test', path: '/metadata/labels', value: { b: '2', a: '1' } }], {}],
  ])('should accept %s', (_name, operations, labels) => {
    expect(applyJsonPatch(document(), operations)).toMatchObject({ metadata: { labels } });
  });

  it.each([
    ['missing', 422, [{ op: 'remove', path: '/metadata/labels/none' }]],
    ['missing', 422, [{ op: 'add', path: '/none/x', value: 1 }]],
    ['missing', 422, [{ op: 'remove', path: '' }]],
    ['missing', 422, [{ op: 'remove' }]],
    ['missing', 422, [{ op: 'test', path: '/metadata/labels/a/b', value: 1 }]],
    ['missing', 422, [{ op: 'copy', path: '/metadata/labels/b' }]],
    ['invalid', 422, [{ op: 'add', path: '/metadata/finalizers/4', value: 'n' }]],
    ['invalid', 422, [{ op: 'add', path: '/metadata/finalizers/x', value: 'n' }]],
    ['invalid', 422, [{ op: 'replace', path: '/metadata/finalizers/3', value: 'n' }]],
    ['invalid', 422, [{ op: 'replace', path: '', value: 3 }]],
    ['invalid', 422, [{ op: 'jump', path: '/spec' }]],
    ['test-failed', 422, [{ op: 'test', path: '/spec/deep', value: { n: 2 } }]],
    ['test-failed', 422, [{ op: 'test', path: '/spec/none', value: 1 }]],
    ['too-large', 413, Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/spec/none' }))],
    ['invalid', 400, { op: 'add' }],
    ['invalid', 400, [1]],
    ['invalid', 400, [{ op: 'add', path: 3 }]],
  ])('should refuse as %s with status %d: %j', (kind, code, operations) => {
    expect(() => applyJsonPatch(document(), operations)).toThrow(expect.objectContaining({ kind, code }));
  });

  it('should hide the cause in the message as the real server does, and keep it in the detail', () => {
    let error: JsonPatchError | undefined;
    try {
      applyJsonPatch(document(), [{ op: 'test', path: '/spec/deep/n', value: 2 }]);
    } catch (caught) {
      error = caught as JsonPatchError;
    }
    expect(error?.message).toBe('the server rejected our request due to an error in our request');
    expect(error?.detail).toBe('testing value /spec/deep/n failed: test failed');
  });

  it('should leave the target as it is and share what does not change', () => {
    const target = document();
    const result = applyJsonPatch(target, [{ op: 'add', path: '/metadata/labels/c', value: '3' }]) as typeof target;
    expect(target).toEqual(document());
    expect(result.spec).toBe(target.spec);
    expect(result.metadata.finalizers).toBe(target.metadata.finalizers);
  });

  it('should not tie a copy to its source', () => {
    const operations = [
      { op: 'add', path: '/spec/deep/more', value: 1 },
      { op: 'copy', from: '/spec/deep', path: '/spec/twin' },
      { op: 'add', path: '/spec/deep/n', value: 5 },
    ];
    expect(applyJsonPatch(document(), operations)).toMatchObject({
      spec: { deep: { n: 5, more: 1 }, twin: { n: 1, more: 1 } },
    });
  });

  it('should do what fast-json-patch does for any patch that it generates', () => {
    const key = fc.constantFrom('a', 'b', 'c~/');
    const value = fc.letrec((tie) => ({
      node: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.dictionary(key, tie('node')), fc.array(tie('node'))),
    })).node;
    const object = fc.dictionary(key, value);
    fc.assert(
      fc.property(object, object, (before, after) => {
        const operations: Operation[] = jsonpatch.compare(before, after);
        expect(applyJsonPatch(before, operations)).toEqual(after);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
