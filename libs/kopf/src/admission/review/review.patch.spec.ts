import { ResourcePatch } from '../../objects/patches.js';
import { createReviewPatch } from './review.patch.js';

const body = { metadata: { name: 'a', labels: { x: 'y' } }, spec: { size: 1, list: [1, 2], nested: { a: 1, b: 2 } } };

describe('makeReviewPatch', () => {
  it.each<[string, (patch: ResourcePatch) => void, object[]]>([
    ['nothing', () => undefined, []],
    ['parts that were only looked at', (patch) => void [patch.spec, patch.metadata.labels], []],
    ['the same again', (patch) => (patch.spec.size = 1), []],
    ['a field', (patch) => (patch.spec.size = 2), [{ op: 'replace', path: '/spec/size', value: 2 }]],
    [
      'a nested field',
      (patch) => (patch.spec.nested = { a: 3 }),
      [{ op: 'replace', path: '/spec/nested/a', value: 3 }],
    ],
    ['a removal', (patch) => (patch.spec.nested = null), [{ op: 'remove', path: '/spec/nested' }]],
    ['a removal of nothing', (patch) => (patch.spec.unknown = null), []],
    [
      'a label',
      (patch) => (patch.metadata.labels['a/b'] = 'c'),
      [{ op: 'add', path: '/metadata/labels/a~1b', value: 'c' }],
    ],
    ['a new part', (patch) => (patch.status.ready = true), [{ op: 'add', path: '/status', value: { ready: true } }]],
    ['an item', (patch) => patch.transform((it) => it.spec.list.pop()), [{ op: 'remove', path: '/spec/list/1' }]],
    [
      'both',
      (patch) => {
        patch.spec.size = 2;
        patch.transform((it) => (it.spec.double = it.spec.size * 2));
      },
      [
        { op: 'add', path: '/spec/double', value: 4 },
        { op: 'replace', path: '/spec/size', value: 2 },
      ],
    ],
  ])('should make the operations for %s', (_what, change, operations) => {
    const before = structuredClone(body);
    const patch = new ResourcePatch();
    change(patch);
    expect(createReviewPatch(body, patch)).toEqual(operations);
    expect(body).toEqual(before);
  });
});
