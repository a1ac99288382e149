import type { ObjectDiff } from './diffs.js';
import { redactDiff, redactObject, redactPatch, SECRET_FIELDS, type FieldPattern } from './redaction.js';

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
    expect(redactObject(body, SECRET_FIELDS)).toEqual({
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
    expect(JSON.stringify(redactPatch(patch, SECRET_FIELDS))).not.toContain(CANARY);
  });

  it('should leave what is harmless in a patch of a Secret', () => {
    const operations = [
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      { op: 'remove', path: '/data/key' },
    ];
    expect(redactPatch(operations, SECRET_FIELDS)).toEqual(operations);
    expect(redactPatch({ data: { gone: null } }, SECRET_FIELDS)).toEqual({ data: { gone: null } });
  });

  it('should leave the paths in a diff of a Secret', () => {
    const diff: ObjectDiff = [
      ['add', ['data', 'key'], null, CANARY],
      ['change', ['metadata', 'annotations', 'a'], CANARY, CANARY],
      ['change', ['metadata', 'labels', 'l'], 'x', 'y'],
      ['add', [], null, { data: { key: CANARY } }],
    ];
    expect(redactDiff(diff, SECRET_FIELDS)).toEqual([
      ['add', ['data', 'key'], null, '***'],
      ['change', ['metadata', 'annotations', 'a'], '***', '***'],
      ['change', ['metadata', 'labels', 'l'], 'x', 'y'],
      ['add', [], null, { data: { key: '***' } }],
    ]);
  });

  it('should leave objects without patterns as they are', () => {
    expect(redactObject(body, [])).toBe(body);
    expect(redactPatch(body, [])).toBe(body);
    const diff: ObjectDiff = [['add', ['data'], null, CANARY]];
    expect(redactDiff(diff, [])).toBe(diff);
  });

  const nested = {
    spec: {
      size: 'shown',
      a: { token: CANARY, name: 'shown' },
      b: { token: { deep: CANARY }, name: 'shown' },
      list: [{ token: CANARY, name: 'shown' }, 'shown'],
      'c/d': { token: CANARY },
    },
  };

  it.each<[string, FieldPattern]>([
    ['any name', ['spec', '*', 'token']],
    ['any name, and items of lists', ['spec', '*', '*', 'token']],
  ])('should leave out what a pattern leads to: %s', (_, pattern) => {
    const text = JSON.stringify(redactObject(nested, [['spec', '*', 'token'], pattern]));
    expect(text).not.toContain(CANARY);
    expect(text.match(/shown/g)).toHaveLength(5);
  });

  const patterns: readonly FieldPattern[] = [['spec', '*', 'token']];

  it.each<[unknown]>([
    [{ spec: { a: { token: CANARY } } }],
    [{ spec: { list: [{ token: CANARY }] } }],
    [[{ op: 'add', path: '/spec/a/token', value: CANARY }]],
    [[{ op: 'add', path: '/spec/a/token/deeper', value: CANARY }]],
    [[{ op: 'add', path: '/spec/c~1d/token', value: CANARY }]],
    [[{ op: 'add', path: '/spec/list/0/token', value: CANARY }]],
    [[{ op: 'add', path: '/spec/list/-', value: { token: CANARY } }]],
    [[{ op: 'replace', path: '/spec', value: nested.spec }]],
    [[{ op: 'replace', path: '', value: nested }]],
    [CANARY],
  ])('should leave out of a patch what a pattern leads to: %j', (patch) => {
    expect(JSON.stringify(redactPatch(patch, patterns))).not.toContain(CANARY);
  });

  it('should leave out of a diff what a pattern leads to', () => {
    const diff: ObjectDiff = [
      ['change', ['spec', 'a', 'token'], CANARY, CANARY],
      ['add', ['spec', 'b', 'token', 'deep'], null, CANARY],
      ['change', ['spec', 'list'], [{ token: CANARY }], [{ name: 'shown' }]],
      ['change', ['spec', 'a', 'name'], 'shown', 'also shown'],
    ];
    expect(redactDiff(diff, patterns)).toEqual([
      ['change', ['spec', 'a', 'token'], '***', '***'],
      ['add', ['spec', 'b', 'token', 'deep'], null, '***'],
      ['change', ['spec', 'list'], [{ token: '***' }], [{ name: 'shown' }]],
      ['change', ['spec', 'a', 'name'], 'shown', 'also shown'],
    ]);
  });
});
