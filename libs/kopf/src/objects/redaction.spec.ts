import type { Diff } from './diffs.js';
import { redactDiff, redactObject, redactPatch } from './redaction.js';

const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const CANARY = 'canary';

const body = {
  ...SECRET,
  type: 'Opaque',
  immutable: false,
  metadata: {
    name: 'a',
    labels: { l: 'shown' },
    annotations: { 'kopf.zalando.org/last-handled-configuration': CANARY },
  },
  data: { key: CANARY, other: CANARY },
  stringData: { key: CANARY },
  spec: { list: [CANARY], deep: { value: CANARY } },
};

describe('redaction', () => {
  it('should leave the names of a Secret, and no values', () => {
    expect(redactObject(body)).toEqual({
      ...SECRET,
      type: 'Opaque',
      immutable: false,
      metadata: {
        name: 'a',
        labels: { l: 'shown' },
        annotations: { 'kopf.zalando.org/last-handled-configuration': '***' },
      },
      data: { key: '***', other: '***' },
      stringData: { key: '***' },
      spec: { list: '***', deep: { value: '***' } },
    });
    expect(JSON.stringify(body)).toContain(CANARY);
  });

  it.each<[unknown]>([
    [{ data: { key: CANARY, gone: null }, metadata: { annotations: { a: CANARY } } }],
    [{ data: CANARY }],
    [[{ op: 'add', path: '/data/key', value: CANARY }]],
    [[{ op: 'replace', path: '', value: { data: CANARY } }]],
    [[{ op: 'replace', path: '/metadata', value: { annotations: { a: CANARY } } }]],
    [[{ op: 'test', path: '/metadata/annotations/a', value: CANARY }]],
    [CANARY],
  ])('should leave no values in a patch of a Secret: %j', (patch) => {
    expect(JSON.stringify(redactPatch(SECRET, patch))).not.toContain(CANARY);
  });

  it('should leave what is harmless in a patch of a Secret', () => {
    const operations = [
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      { op: 'remove', path: '/data/key' },
    ];
    expect(redactPatch(SECRET, operations)).toEqual(operations);
    expect(redactPatch(SECRET, { data: { gone: null } })).toEqual({ data: { gone: null } });
  });

  it('should leave the paths in a diff of a Secret', () => {
    const diff: Diff = [
      ['add', ['data', 'key'], null, CANARY],
      ['change', ['metadata', 'annotations', 'a'], CANARY, CANARY],
      ['change', ['metadata', 'labels', 'l'], 'x', 'y'],
      ['add', [], null, { data: { key: CANARY } }],
    ];
    expect(redactDiff(SECRET, diff)).toEqual([
      ['add', ['data', 'key'], null, '***'],
      ['change', ['metadata', 'annotations', 'a'], '***', '***'],
      ['change', ['metadata', 'labels', 'l'], 'x', 'y'],
      ['add', [], null, { data: { key: '***' } }],
    ]);
  });

  it('should leave other objects as they are', () => {
    const other = { ...body, kind: 'ConfigMap' };
    expect(redactObject(other)).toBe(other);
    expect(redactPatch(other, body)).toBe(body);
    expect(redactPatch({ apiVersion: 'example.com/v1', kind: 'Secret' }, body)).toBe(body);
  });
});
