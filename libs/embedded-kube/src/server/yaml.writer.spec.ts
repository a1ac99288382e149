import { readYaml } from './yaml.reader.js';
import { toYaml } from './yaml.writer.js';

const SENTENCE =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may not';

describe('toYaml', () => {
  it('should write as the real server does', () => {
    const object = {
      kind: 'ConfigMap',
      metadata: {
        labels: {},
        resourceVersion: '312',
        creationTimestamp: '2026-01-02T03:04:05Z',
        a10: 1,
        a9: 0.5,
        finalizers: [],
      },
      data: {
        text: 'a: b',
        yes: 'no',
        lines: 'a\n b\n',
        tail: 'a',
        empty: '',
        quote: `it's`,
        colon: ': x',
        tab: 'a\tb',
        emoji: '😀',
      },
      items: [{ message: SENTENCE, reason: 'x' }, [1, [null]], `'${SENTENCE}`],
    };
    expect(toYaml(object)).toBe(`data:
  colon: ': x'
  emoji: "\\U0001F600"
  empty: ""
  lines: |
    a
     b
  quote: it's
  tab: "a\\tb"
  tail: a
  text: 'a: b'
  "yes": "no"
items:
- message: Name must be unique within a namespace. Is required when creating resources,
    although some resources may not
  reason: x
- - 1
  - - null
- '''Name must be unique within a namespace. Is required when creating resources,
  although some resources may not'
kind: ConfigMap
metadata:
  a9: 0.5
  a10: 1
  creationTimestamp: "2026-01-02T03:04:05Z"
  finalizers: []
  labels: {}
  resourceVersion: "312"
`);
    expect(readYaml(toYaml(object)).value).toEqual(object);
  });
});

describe('readYaml', () => {
  it.each([
    [
      'a: yes\nb: off\nc: 0x10\nd: 010\ne: 1_000\nf: ~\ng: 1:30\nh: 2001-01-01',
      { a: true, b: false, c: 16, d: 8, e: 1000, f: null, g: '1:30', h: '2001-01-01' },
    ],
    ['1: a\ntrue: b\n1.5: c', { 1: 'a', true: 'b', 1.5: 'c' }],
    ['a: &x {k: 1}\nb: {<<: *x, l: 2}\nc: *x', { a: { k: 1 }, b: { k: 1, l: 2 }, c: { k: 1 } }],
    ['a: !!binary aGk=\nb: !x 1\nc: !!str 1\nd: "1"', { a: 'hi', b: '1', c: '1', d: '1' }],
    ['---\na: 1\n---\nb: 2', { a: 1 }],
    ['a: 9007199254740993', { a: 9007199254740993n }],
    ['', undefined],
    ['# nothing', undefined],
  ])('should read %j', (text, value) => {
    expect(readYaml(text).value).toEqual(value);
  });

  it('should name keys that stand more than once', () => {
    const { value, repeated } = readYaml('a: 1\nb: {c: 1,\n c: 2}\na: 2');
    expect(value).toEqual({ a: 2, b: { c: 2 } });
    expect(repeated).toEqual(['line 3: key "c" already set in map', 'line 4: key "a" already set in map']);
  });

  it.each([
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['[a]: b', 'yaml: invalid map key: []interface {}{"a"}'],
    ['~: b', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "b"'],
    ['a: b\nc: "\\z"', 'yaml: line 2: found unknown escape character'],
  ])('should refuse %j', (text, message) => {
    expect(() => readYaml(text)).toThrow(message);
  });
});
